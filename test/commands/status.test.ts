import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { type Emulator, startEmulator } from '../support/emulators.ts';
import { half } from '../support/extent.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, targetOf } from '../support/gantry.ts';
import { inFrontOf } from '../support/in-front-of.ts';
import { deployWeb, record } from '../support/runs.ts';

const now = Date.now();
const minutes = 60_000;
const time = (at: number) => new Date(at).toISOString();

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator();
});

afterEach(() => emulator.close());

const run = (flags: string[] = [], setting: Setting = {}) =>
  gantry(['status', ...flags], { emulator, ...setting, env: { NO_COLOR: '1', ...setting.env } });

/** The environment of a platform whose status page has this report. */
function reporting(title: string, state: string, starts: number) {
  const item = (type: string, id: string, attributes: object) => ({ type, id, attributes });
  const facts = { title, aggregate_state: state, starts_at: time(starts) };
  const page = {
    data: { attributes: { aggregate_state: starts > now ? 'operational' : state } },
    included: [
      ...['Builds', 'Storage'].map((public_name, at) =>
        item('status_page_resource', `${at + 1}`, { public_name, status: 'operational' }),
      ),
      item('status_report', '1', facts),
      item('status_update', '11', { message: 'A fix is being rolled out.', published_at: time(now) }),
    ],
  };
  const body = JSON.stringify(page);
  return inFrontOf(emulator, ({ route }) => (route === 'GET /index.json' ? { body } : undefined));
}

describe('in the folder of an app', () => {
  test('shows its state on one screen, and what differs here', async () => {
    const cwd = newFolder(smallApp());
    const setting = { cwd };
    const before = await run([], setting);
    expect([before.code, before.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^project\tp-12345678 \(emulator on port \d+\)\napp\t\S+\nlive\tnot deployed\nplatform\tall/,
      ),
    ]);
    expect((await run(['--json'], setting)).json()).toMatchObject({ next: [{ argv: ['gantry', 'deploy'] }] });
    const deployed = await gantry(['deploy', '--json'], { emulator, ...setting });
    const { app: name, build } = deployed.json() as { app: string; build: string };
    await gantry(['invoke', '.'], { emulator, ...setting });
    emulator.late.pass();
    emulator.calls.length = 0;
    expect((await run(['--json'], setting)).json()).toMatchObject({
      target: targetOf(emulator),
      app: name,
      live: { build, createdAt: expect.stringMatching(/Z$/) },
      here: { changed: false, settings: [], paths: [], unverified: 0 },
      lastHour: { calls: 1, errors: 0, jobs: 0, failedJobs: 0, p95Ms: expect.any(Number) },
      failure: null,
      unknown: {},
      centsPerHour: expect.any(Number),
      platform: { status: 'operational' },
    });
    expect(emulator.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
    writeFileSync(join(cwd, 'new.py'), '');
    for (const columns of [60, 80, 120]) {
      const lines = (await run([], { ...setting, columns })).stdout.trimEnd().split('\n');
      expect(lines.length).toBeLessThan(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines.join('\n')).toMatch(/^live {7}build [\da-f]{8}, /m);
      expect(lines.join('\n')).toMatch(/^here {7}1 file changed: new\.py$/m);
    }
  });

  test('names the setting of a file that is made from it, which is not in the folder', async () => {
    const app = newFolder(smallApp());
    await gantry(['deploy'], { emulator, cwd: app });
    emulator.late.pass();
    appendFileSync(join(app, 'cerebrium.toml'), '\n[cerebrium.dependencies.pip]\nnumpy = "1.0"\n');
    expect((await run(['--json'], { cwd: app })).json()).toMatchObject({
      here: { changed: true, settings: ['dependencies.pip'], paths: ['cerebrium.toml'] },
    });
  });

  test('does not repeat what a deploy warns of, and says once that the config file is broken', async () => {
    const cwd = newFolder(smallApp('include = ["main.py", "nothing/*"]\n'));
    expect((await gantry(['deploy'], { emulator, cwd })).stderr).toContain('warning: ');
    emulator.late.pass();
    expect((await run([], { cwd })).stderr).toBe('');
    appendFileSync(join(cwd, 'cerebrium.toml'), 'x = [\n');
    expect((await run(['web'], { cwd })).stderr.match(/warning: /g)).toHaveLength(1);
  });

  test('says how old the last failure is, until later calls succeed and none failed for an hour', async () => {
    await deployWeb(emulator);
    record(emulator, { id: 'failed-1', createdAt: Date.now() - 190 * minutes, statusCode: 500 });
    const empty = newFolder();
    const shown = () => run(['web'], { cwd: empty, columns: 120 });
    expect((await shown()).stdout).toMatch(
      /^failure {4}run failed-1, 3 h ago: .*; the live build is newer;\s+gantry explain\s+web$/m,
    );
    record(emulator, { id: 'other-1', functionName: 'other', createdAt: Date.now() - 2 * minutes });
    expect((await shown()).stdout).not.toContain('succeeded');
    record(emulator, { id: 'good-1', createdAt: Date.now() - minutes });
    expect((await shown()).stdout).not.toContain('failure');
    record(emulator, { id: 'failed-2', createdAt: Date.now() - 10 * minutes, statusCode: 500 });
    expect((await shown()).stdout).toMatch(/^failure {4}run failed-2, \d+ min ago: .*; later calls succeeded;/m);
  });

  test('says nothing of a failure once a later build is found healthy', async () => {
    const cwd = newFolder({ ...smallApp(), 'main.py': 'def run(): return 1\n' });
    await gantry(['deploy'], { emulator, cwd });
    record(emulator, { id: 'failed-1', createdAt: Date.now() - minutes, statusCode: 500 });
    expect((await run(['web'], { columns: 120 })).stdout).toMatch(/^failure {4}run failed-1/m);
    expect((await gantry(['deploy', '--smoke', 'run'], { emulator, cwd })).code).toBe(0);
    expect((await run(['web'], { columns: 120 })).stdout).not.toContain('failure');
  });

  test('says that calls fail by now, until one succeeds or another build serves', async () => {
    await deployWeb(emulator);
    const [build] = emulator.store.builds.values();
    if (!build?.startedAt) throw new Error('web has no build');
    Object.assign(build, {
      startedAt: now - 25 * minutes,
      createdAt: now - 25 * minutes,
      script: { ...build.script, scenes: [] },
    });
    const shown = (more: Setting = {}) => run(['web'], { cwd: newFolder(), columns: 120, ...more });
    const sick = async () => ((await run(['web', '--json'])).json() as { sick: string | null }).sick;
    const fail = (id: string, more: object = {}) =>
      record(emulator, { id, createdAt: Date.now() - minutes, statusCode: 503, ...more });
    fail('before-1', { createdAt: Date.now() - 30 * minutes });
    fail('before-2', { createdAt: Date.now() - 30 * minutes });
    expect(await sick()).toBeNull();
    record(emulator, { id: 'good-1', createdAt: Date.now() - 10 * minutes });
    fail('earlier-1', { createdAt: Date.now() - 20 * minutes });
    fail('caller-1', { statusCode: 404 });
    fail('failed-1');
    expect(await sick()).toBeNull();
    fail('failed-2');
    expect(await sick()).toBe('the last 2 calls failed');
    const failed = { containerId: 'web-2', containerState: 'Failed', buildId: build.id };
    let listed: object[] = [failed];
    const env = await inFrontOf(emulator, ({ route }) =>
      /containers$/.test(route) ? { body: JSON.stringify(listed) } : undefined,
    );
    const { stdout } = await shown({ env });
    expect(stdout).toMatch(
      /^sick {7}the live build does not keep running: replica web-2 is Failed; the last 2 calls failed$/m,
    );
    expect(stdout).toMatch(/^replicas {3}0 running, 0 to \d+, 1 failed$/m);
    expect((await run(['web', '--json'], { env })).json()).toMatchObject({ replicas: { running: 0, failed: 1 } });
    listed = [{ ...failed, buildId: '' }];
    expect((await shown({ env })).stdout).toMatch(/^sick {7}the last 2 calls failed$/m);
    listed = [failed];
    record(emulator, { id: 'good-2', createdAt: Date.now() - minutes / 2 });
    expect((await shown({ env })).stdout).not.toContain('sick');
    await gantry(['apps', 'scale', 'web', '--min-replicas', '1'], { emulator });
    expect((await shown({ env })).stdout).toMatch(
      /^sick {7}the live build does not keep running: replica web-2 is Failed$/m,
    );
    emulator.store.runs.delete('good-2');
    expect(await sick()).toBe('the last 2 calls failed');
    await deployWeb(emulator);
    expect((await shown()).stdout).not.toContain('sick');
  });

  test('is sick as a deploy found it, until a call succeeds', async () => {
    const cwd = newFolder({ ...smallApp(), 'main.py': 'def run():\n    raise ValueError()\n' });
    const env = { GANTRY_CONFIG_DIR: newFolder() };
    expect((await gantry(['deploy', '--name', 'web', '--smoke', 'run'], { emulator, cwd, env })).code).toBe(12);
    emulator.store.runs.clear();
    const shown = async () => (await gantry(['status', 'web', '--json=sick,live'], { emulator, cwd, env })).json();
    const sick = 'it was found sick when it was deployed';
    expect(await shown()).toMatchObject({ sick, live: { found: 'sick' } });
    record(emulator, { id: 'good-3', createdAt: Date.now() });
    // The platform tells its time in whole seconds.
    await expect.poll(shown).toMatchObject({ sick: null, live: { found: 'sick' } });
  });

  test('says of an app that the emulator refuses to call that it was not started', async () => {
    await deployWeb(emulator);
    const { script } = [...emulator.store.builds.values()].at(-1) ?? {};
    Object.assign(script?.end ?? {}, { notStarted: { calls: 'refused', reason: 'no engine' } });
    expect((await run(['web'])).stdout).toContain('web, not started\n');
    expect((await run([], { cwd: newFolder() })).stdout).toMatch(/^web\tnot started\t/m);
    expect((await gantry(['apps', 'list'], { emulator })).stdout).toMatch(/^web\tnot started\t/m);
    expect((await gantry(['apps', 'get', 'web'], { emulator })).stdout).toMatch(/^status\tnot started$/m);
  });

  test('says of each part why it is not known', async () => {
    const app = newFolder(smallApp());
    await gantry(['deploy'], { emulator, cwd: app });
    emulator.fail('listContainers', '500*');
    emulator.fail('getServiceStatus', 'html*');
    const { code, json } = await run(['--json'], { cwd: app });
    expect([code, json()]).toMatchObject([
      0,
      {
        replicas: null,
        centsPerHour: null,
        platform: null,
        here: { changed: false },
        unknown: { replicas: expect.any(String), centsPerHour: expect.any(String), platform: expect.any(String) },
      },
    ]);
  });

  test('asks a dead platform once', async () => {
    emulator.fail('getApp', '503*');
    emulator.calls.length = 0;
    const { code, stdout, stderr } = await run([], { cwd: newFolder(smallApp()) });
    expect([code, stderr]).toEqual([69, expect.stringMatching(/^(Service Unavailable .*retrying.*\n)*$/)]);
    for (const part of ['live', 'here', 'replicas', 'last hour', 'cost now', 'failure'])
      expect(stdout).toMatch(new RegExp(`^${part}\tnot known: `, 'm'));
    expect(new Set(emulator.calls.map(({ path }) => path)).size).toBe(2);
  });
});

const [old, late, later] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((id) => `${id}-0000-4000-8000-000000000000`);
const serving = 'app        web, ready\nlive       build aaaaaaaa, 2 min ago';
const following = 'gantry logs web --build -f';
const failing = 'build bbbbbbbb, 1 min ago: no known cause matches; gantry explain web';

test.each([
  ['ready', 'ready', 'app        web, ready\nlive       build bbbbbbbb, 1 min ago'],
  ['failed', 'build_failure', serving, undefined, failing],
  ['not started', 'init_failure', serving, undefined, failing],
  ['canceled', 'cancelled', serving, 'build bbbbbbbb, canceled'],
  [
    'running',
    undefined,
    'app        web, pending\nlive       build aaaaaaaa, 2 min ago',
    `build bbbbbbbb, pending; ${following}`,
  ],
  [
    'unknown',
    'melting',
    'app        web, deploying\nlive       build aaaaaaaa, 2 min ago',
    `build bbbbbbbb, melting; ${following}`,
  ],
  ['replaced', 'ready', 'app        web, ready\nlive       build cccccccc, 5 s ago', undefined, undefined, later],
])(
  'after a deploy that is %s, says so',
  async (_, status, serves, latest?: string, failure?: string, next?: string) => {
    const clock = { now };
    await emulator.close();
    emulator = await startEmulator({ real: false, now: () => clock.now });
    await deployWeb(emulator);
    const { builds } = emulator.store;
    const [first] = builds.values();
    if (!first) throw new Error('no build');
    builds.clear();
    const script = { scenes: [], ...(status && { end: { status } }) };
    for (const id of [old, late, next].filter((each) => each !== undefined)) {
      if (id)
        builds.set(id, { ...first, id, createdAt: clock.now, startedAt: clock.now, ...(id !== old && { script }) });
      clock.now += 60_000;
    }
    clock.now -= next ? 55_000 : 0;
    const { stdout } = await run(['web'], { cwd: newFolder(), columns: 120, clock });
    const shown = stdout.split('\n').filter((line) => /^(app|live|latest|failure) /.test(line));
    const told = [serves, latest && `latest     ${latest}`, failure && `failure    ${failure}`];
    expect(shown.join('\n')).toBe(told.filter(Boolean).join('\n'));
  },
);

test('outside of an app, shows the apps of the project', async () => {
  await emulator.close();
  emulator = await startEmulator({ real: false, seed: 1 });
  const empty = newFolder();
  const { code, stdout } = await run([], { cwd: empty, columns: 80 });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^project {3}p-12345678 \(emulator on port \d+\)\nplatform {2}all services operational\n\nAPP +STATUS/,
  );
  expect((await run(['--json=apps'], { cwd: empty })).json()).toMatchObject({
    apps: expect.arrayContaining([expect.objectContaining({ app: 'web' })]),
  });
});

describe('of several parts, of which nothing is known', () => {
  const codes = [
    ['503*', 69],
    ['429*', 75],
    ['403*', 5],
  ] as const;
  const lines = [
    ['status'],
    ['status', 'web'],
    ['metrics', '--live', 'web', '--for', '1s'],
    ['metrics', '--live', '--all-apps', '--for', '1s'],
    ['metrics', 'serve', 'web', '--port', '0', '--for', '1s'],
  ];

  test.each(half(lines.flatMap((words) => codes.map(([fault, code]) => [words.join(' '), fault, code] as const))))(
    '%s with %s exits with %d',
    async (line, fault, code) => {
      for (const name of ['getApp', 'listApps', 'listContainers', 'getRunsChart'] as const) emulator.fail(name, fault);
      expect(await gantry(line.split(' '), { emulator, cwd: newFolder() })).toExit(code);
    },
  );

  test('still shows the platform, and is one document', async () => {
    emulator.fail('listApps', '503*');
    const { code, json } = await run(['--json'], { cwd: newFolder() });
    expect([code, json()]).toMatchObject([
      69,
      { apps: null, platform: { status: 'operational' }, unknown: { apps: expect.any(String) } },
    ]);
    expect(json()).not.toHaveProperty('exit');
  });
});

test.each([
  ['in the folder of an app', smallApp()],
  ['outside of an app', {}],
])('without a login, says how to log in %s', async (_, files) => {
  const folder = newFolder(files);
  const env = { GANTRY_TOKEN: '', GANTRY_PROJECT: '' };
  const { code, stdout, stderr } = await run([], { cwd: folder, env });
  expect([code, stdout, stderr]).toEqual([4, '', expect.stringMatching(/^error: not logged in\n[\s\S]*gantry login/)]);
  emulator.fail('listApps', '401*');
  emulator.fail('getApp', '401*');
  expect((await run([], { cwd: folder })).code).toBe(4);
});

test('an incident of the platform is one line', async () => {
  const env = await reporting('Slow starts', 'degraded', now - 90 * minutes);
  expect((await run([], { env })).stdout).toMatch(/^platform\tdegraded: Slow starts$/m);
  expect((await run(['--json=platform'], { env })).json()).toMatchObject({
    platform: { status: 'degraded', incidents: [{ title: 'Slow starts' }] },
  });
});

test('maintenance that is planned is no incident yet', async () => {
  const startsAt = now + 60 * minutes;
  const env = await reporting('Upgrade', 'maintenance', startsAt);
  expect((await run(['--json=platform'], { env })).json()).toMatchObject({
    platform: { incidents: [] },
  });
});

test('text of the page cannot control the terminal', async () => {
  const title = '\u001b]0;owned\u0007\u001b[2JDown\u202e::error::x';
  const env = { ...(await reporting(title, 'degraded', now)), GITHUB_ACTIONS: 'true' };
  for (const columns of [undefined, 80]) {
    const { stdout } = await run([], { ...(columns && { columns }), env });
    expect(stdout).toContain('Down');
    expect(stdout).not.toMatch(/[\u001b\u0007\r\u202e]|owned|^\s*::/m);
  }
});
