import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { type Emulator, startEmulator } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, wideTerminal } from '../support/gantry.ts';
import { record } from '../support/runs.ts';

const day = 86_400_000;
/** Noon UTC is the same day in almost every time zone. */
const first = Date.UTC(2026, 10, 16, 12);
const now = first + 2 * day;

let emulator: Emulator;
let folder: string;

beforeAll(async () => {
  let clock = first - day;
  [emulator, folder] = await Promise.all([
    startEmulator({ real: false, now: () => clock }),
    newFolder(smallApp('[cerebrium.hardware]\ncompute = "ADA_L4"\n[cerebrium.scaling]\ncooldown = 600\n')),
  ]);
  await gantry(['deploy', '--yes'], { emulator, cwd: folder });
  // A call of a second every quarter of an hour: its replica is idle for ten minutes after each.
  for (let at = first; at < now - day / 24; at += 900_000) {
    record(emulator, { id: `r-${at}`, createdAt: at, runtimeMs: 1_000, container: `web-${at}`, coldstartMs: 4_000 });
  }
  clock = now;
});
afterAll(() => emulator.close());

const run = (words: string[], more: Setting = {}) =>
  gantry(words, { emulator, clock: { now }, env: { GANTRY_CONFIG_DIR: join(folder, 'home') }, ...more });

interface Report {
  totalCents: number;
  apps: {
    app: string;
    costCents: number;
    replicaSeconds: number;
    busySeconds: number;
    waste: { argv: string[] };
    days: object[];
  }[];
}

describe('gantry cost', () => {
  test('shows the apps of the project, the waste, and the command that ends it', async () => {
    const { stdout, code } = await run(['cost'], wideTerminal);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 app of p-\d+: \$\d+\.\d\d, 2026-11-01 to 2026-11-18 \(UTC\)$|^web: \$/m);
    expect(stdout).toMatch(
      /^web: cooldown keeps a replica 10m after a call of 1\.0 s; \d+[sm] cooldown: \d+ more cold starts?( of 4\.0 s)?, -\$\d+ a month$/m,
    );
    expect(stdout).toMatch(/^ {2}gantry apps scale web --cooldown \d+s$/m);
    expect(stdout).toContain('coupons: $12.50 left');
  });

  test('of an app: busy and idle add up to what was paid for', async () => {
    const report = (await run(['cost', 'web', '--json'])).json() as Report;
    const [app] = report.apps;
    const price = ((await run(['apps', 'get', 'web', '--json'])).json() as { costPerSecondCents: number })
      .costPerSecondCents;
    expect(app?.replicaSeconds).toBeCloseTo((app?.costCents ?? 0) / price, 3);
    expect(app?.busySeconds).toBeCloseTo(188, 0);
    expect(app?.waste.argv.slice(0, 4)).toEqual(['gantry', 'apps', 'scale', 'web']);
    expect(report.totalCents).toBe(app?.costCents);
  });

  test('has one unit, in a pipe and on a terminal, and the list of apps has it too', async () => {
    expect((await run(['cost', 'web'])).stdout).toMatch(/^cost\t\$\d+\.\d\d\n/);
    expect((await run(['cost', 'web'], wideTerminal)).stdout).toMatch(/^cost +\$\d/m);
    expect((await run(['apps', 'list'])).stdout).toMatch(/^web\t.*\t\$\d+\.\d\d\t/m);
  });

  test('by day is the sum of the month, and a range has its days only', async () => {
    const days = async (...flags: string[]) =>
      (await run(['cost', 'web', '--by', 'day', ...flags])).stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
    const month = await days();
    const { totalCents } = (await run(['cost', '--json'])).json() as Report;
    // Money has two decimals, and no rest of a product.
    expect(`${totalCents}`).toMatch(/^\d+(\.\d\d?)?$/);
    for (const [, cost] of month) expect(cost).toMatch(/^(not known|\$\d+\.\d\d)$/);
    const cents = (cost = '') => 100 * Number(cost.slice(1)) || 0;
    expect(Math.abs(month.reduce((sum, [, cost]) => sum + cents(cost), 0) - totalCents)).toBeLessThan(month.length);
    const range = await days('--since', '2026-11-16', '--until', '2026-11-17');
    expect(range.map(([date]) => date)).toEqual(['2026-11-16', '2026-11-17']);
    expect((await run(['cost', '--since', '2026-11-19', '--until', '2026-11-18'])).code).toBe(2);
  });

  test('is nothing on a day before the app, and minutes give no advice for a month', async () => {
    const { apps } = (await run(['cost', 'web', '--since', '2026-11-14', '--json'])).json() as Report;
    expect(apps[0]?.days[0]).toMatchObject({ date: '2026-11-14', costCents: 0 });
    const minutes = (await run(['cost', 'web', '--since', 'today', '--json'])).json() as Report;
    expect(minutes.apps[0]?.waste).toBeNull();
  });

  test('--html writes a page', async () => {
    const file = join(folder, 'cost.html');
    expect((await run(['cost', '--html', file])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('"unit":"USD"');
  });

  test('is the app of this folder, and with --all-apps the project', async () => {
    const here = await run(['cost', '--json'], { cwd: folder });
    const all = await run(['cost', '--all-apps', '--json'], { cwd: folder });
    expect([here, all].map(({ json }) => (json() as { summary: unknown }).summary === null)).toEqual([true, false]);
    expect((await run(['cost', 'web', '--all-apps'])).code).toBe(2);
  });
});

describe('the waste of a past that the settings of now do not explain', () => {
  const time = { now: first };
  let own: Emulator;
  beforeAll(async () => {
    own = await startEmulator({ real: false, now: () => time.now });
    await gantry(['deploy', '--yes'], { emulator: own, clock: time, cwd: folder });
    for (let at = first; at < first + 6 * day; at += 900_000) {
      record(own, { id: `r-${at}`, createdAt: at, runtimeMs: 1_000, container: `web-${at}`, coldstartMs: 4_000 });
    }
  });
  afterAll(() => own.close());

  interface Costs {
    apps: { idleCents: number; waste: { since: string | null; savesCents: number } | null }[];
  }
  const cost = async (home: string) => {
    const setting = { emulator: own, clock: time, env: { GANTRY_CONFIG_DIR: join(folder, home) } };
    const { json, stderr } = await gantry(['cost', 'web', '--json'], setting);
    return { ...(json() as Costs).apps[0], stderr };
  };

  test('counts from the last change of the scaling on', async () => {
    time.now = first + 3 * day;
    const before = await cost('one');
    expect(before.waste).toMatchObject({ since: null });
    expect(before.waste?.savesCents).toBeLessThanOrEqual(before.idleCents ?? 0);
    const env = { GANTRY_CONFIG_DIR: join(folder, 'one') };
    await gantry(['apps', 'scale', 'web', '--cooldown', '20m', '--yes'], { emulator: own, clock: time, env });
    expect((await cost('one')).waste).toBeNull();
    time.now = first + 6 * day;
    const { waste, idleCents } = await cost('one');
    expect(waste?.since).toBe(new Date(first + 3 * day).toISOString());
    // Replicas live for 15 minutes instead of 10 after each of the calls.
    expect(waste?.savesCents).toBeGreaterThan(before.waste?.savesCents ?? 0);
    expect(waste?.savesCents).toBeLessThan(idleCents ?? 0);
  });

  test('is none in a period that ended before the change, whatever the days after it cost', async () => {
    time.now = first + 6 * day;
    const env = { GANTRY_CONFIG_DIR: join(folder, 'three') };
    await cost('three');
    await gantry(['apps', 'scale', 'web', '--max-replicas', '3', '--yes'], { emulator: own, clock: time, env });
    const date = new Date(first + 4 * day).toISOString().slice(0, 10);
    const args = ['cost', 'web', '--since', date, '--until', date, '--json'];
    const { json } = await gantry(args, { emulator: own, clock: time, env });
    expect((json() as Costs).apps[0]).toMatchObject({ waste: null });
  });

  test.each([{ compute: ['HOPPER_H100'] }, { gpuCount: 20 }, { minReplicaCount: 4 }])(
    'is not named if the replay of what is contradicts the bill: %j came later',
    async (later) => {
      const web = own.store.apps.get(`${own.project}-web`);
      if (!web) throw new Error('no app');
      const settings = { ...web.settings, ...later };
      const earlier = [...(web.earlier ?? []), { until: time.now, settings: web.settings }];
      own.store.apps.set(web.id, { ...web, settings, earlier });
      const { waste, stderr } = await cost(Object.keys(later).join());
      own.store.apps.set(web.id, web);
      expect(waste).toBeNull();
      expect(stderr).toMatch(/^what other settings of web save is not known: at the price.* cost \$\d+/m);
    },
  );
});

describe('what a replica cost is not known from the price of now', () => {
  interface Costs {
    apps: {
      costCents: number;
      replicaSeconds: number;
      busySeconds: number;
      idleCents: number;
      estimate: string | null;
      waste: unknown;
    }[];
  }
  /** Six days of calls that keep a replica alive for 605 s each, four an hour. */
  const sixDays = async (home: string) => {
    const time = { now: first };
    const own = await startEmulator({ real: false, now: () => time.now });
    const setting = { emulator: own, clock: time, env: { GANTRY_CONFIG_DIR: join(folder, home) } };
    const deploy = async (...flags: string[]) => gantry(['deploy', '--yes', ...flags], { ...setting, cwd: folder });
    expect((await deploy()).code).toBe(0);
    for (let at = first; at < first + 6 * day; at += 900_000) {
      record(own, { id: `r-${at}`, createdAt: at, runtimeMs: 1_000, container: `web-${at}`, coldstartMs: 4_000 });
    }
    const cost = async (...flags: string[]) => {
      const { json, stderr } = await gantry(['cost', 'web', ...flags, '--json'], setting);
      return { ...(json() as Costs).apps[0], stderr };
    };
    return { own, time, setting, cost, [Symbol.asyncDispose]: () => own.close() };
  };

  test('after a change of the hardware, its time is an estimate by its calls, and says why', async () => {
    await using six = await sixDays('hardware');
    const { own, time, setting, cost } = six;
    time.now = first + 3 * day;
    expect(await cost()).toMatchObject({ estimate: null });
    const config = await readFile(join(folder, 'cerebrium.toml'), 'utf8');
    const other = newFolder({
      'cerebrium.toml': config.replace('ADA_L4', 'TURING_T4'),
      'main.py': 'def run():\n    pass\n',
    });
    expect((await gantry(['deploy', '--yes'], { ...setting, cwd: other })).code).toBe(0);
    time.now = first + 6 * day;
    const { replicaSeconds, estimate, stderr } = await cost();
    expect(replicaSeconds).toBeCloseTo(6 * 96 * 605, -4);
    expect(estimate).toMatch(/^its hardware changed at 2026-11-19T12:00:0\d\.\d+Z$/);
    expect(stderr).toContain(`web: what is idle is an estimate by its calls: ${estimate}`);
    // With days of the hardware of now alone, nothing has to be estimated.
    expect(await cost('--since', '2026-11-20')).toMatchObject({ estimate: null });
    expect(own.calls.length).toBeGreaterThan(0);
  });

  test('where files ran on hardware of their own, its time is an estimate by its calls', async () => {
    await using six = await sixDays('jobs');
    const { own, time, setting, cost } = six;
    time.now = first + day;
    const cwd = folder;
    const { code, stdout } = await gantry(['run', '--gpu', 'H100:8', 'main.py', '--detach'], { ...setting, cwd });
    const job = own.store.runs.get(stdout.trim());
    expect([code, job?.oneOff]).toEqual([0, true]);
    if (job) own.store.runs.set(job.id, { ...job, runtimeMs: 10 * 3_600_000 });
    time.now = first + 3 * day;
    const { replicaSeconds, estimate } = await cost();
    expect(estimate).toBe('1 run of a file is in its cost');
    expect(replicaSeconds).toBeCloseTo(3 * 96 * 605, -4);
    // A minimum of replicas counts from the day on which it was set.
    await gantry(['apps', 'scale', 'web', '--min-replicas', '1', '--yes'], setting);
    time.now = first + 4 * day;
    expect((await cost()).replicaSeconds).toBeCloseTo(3 * 96 * 605 + 86_400, -4);
  });

  test('of days that the platform does not tell, calls are not busy time of the others', async () => {
    await using six = await sixDays('untold');
    // The bill has 30 days, and calls in the first three and a half.
    six.time.now = first + 32 * day;
    const { busySeconds, replicaSeconds, stderr } = await six.cost(
      '--since',
      new Date(first).toISOString().slice(0, 10),
    );
    expect(busySeconds).toBeCloseTo(3.5 * 96, 0);
    expect(replicaSeconds).toBeCloseTo(3.5 * 96 * 605, -4);
    expect(stderr).toMatch(/^web: the platform does not tell its cost of 2026-11-\d\d and 2 other days: /m);
    expect(await six.cost('--since', '2026-11-16', '--until', '2026-11-17')).toMatchObject({ costCents: null });
  });

  test('of an app that only ran files, it is what the platform tells', async () => {
    await using six = await sixDays('files');
    const cwd = newFolder({ 'job.py': 'pass\n' });
    expect((await gantry(['run', '--name', 'jobs', 'job.py', '--detach'], { ...six.setting, cwd })).code).toBe(0);
    const { code, json } = await gantry(['cost', 'jobs', '--json'], six.setting);
    expect([code, json()]).toEqual([0, expect.objectContaining({ apps: [expect.objectContaining({ app: 'jobs' })] })]);
    expect(await gantry(['cost', 'jbs', '--json'], six.setting)).toExit(6, 'app jbs not found in p-12345678');
  });

  test('a bill that is still to come makes no contradiction', async () => {
    await using six = await sixDays('bill');
    record(six.own, { id: 'soon', createdAt: first - 100, container: 'web-0' });
    six.time.now = first;
    const { costCents, estimate, stderr } = await six.cost();
    expect([costCents, estimate]).toEqual([0, 'nothing is billed yet, which takes up to an hour']);
    expect(stderr).not.toContain('does not fit');
  });
});

test('calls of an app that was deleted are not of the next one of its name', async () => {
  const time = { now };
  const own = await startEmulator({ real: false, now: () => time.now });
  onTestFinished(() => own.close());
  const setting = { emulator: own, clock: time, cwd: folder, env: { GANTRY_CONFIG_DIR: newFolder() } };
  const calls = async () =>
    ((await gantry(['cost', 'web', '--json'], setting)).json() as { apps: { calls: number }[] }).apps[0]?.calls;
  await gantry(['deploy', '--yes'], setting);
  record(own, { id: 'r-before', createdAt: now, runtimeMs: 1_000, container: 'web-1' });
  time.now += 10_000;
  expect(await calls()).toBe(1);
  await gantry(['apps', 'delete', 'web', '--confirm', 'web'], setting);
  time.now += 10_000;
  await gantry(['deploy', '--yes'], setting);
  record(own, { id: 'r-after', createdAt: time.now + 1_000, runtimeMs: 1_000, container: 'web-2' });
  time.now += 10_000;
  expect(await calls()).toBe(1);
});

test('cost since a day says that it includes today so far', async () => {
  const [open, closed, month] = await Promise.all([
    run(['cost', '--since', 'yesterday']),
    run(['cost', '--since', 'yesterday', '--until', 'yesterday']),
    run(['cost']),
  ]);
  expect(open.stderr).toContain('today so far is included; --until yesterday leaves it out');
  for (const { stderr } of [closed, month]) expect(stderr).not.toContain('today so far');
});

test('of a project without apps says where the cost of deleted ones is', async () => {
  const empty = await startEmulator({ real: false });
  onTestFinished(() => empty.close());
  for (const terminal of [{}, wideTerminal]) {
    const { stdout, stderr } = await gantry(['cost'], { emulator: empty, cwd: newFolder(), ...terminal });
    expect(stderr).toMatch(/^p-\w+ has no apps; what deleted ones have cost is in the dashboard$/m);
    expect(stdout).not.toContain('dashboard');
  }
});

test('apps get shows the cost of a replica per hour, day and month', async () => {
  const { stdout } = await gantry(['apps', 'get', 'web'], { emulator, ...wideTerminal });
  expect(stdout).toMatch(/^cost +\$\d\.\d\d per hour, \$\d\d\.\d\d per day, \$\d{3}\.\d\d per month$/m);
  expect(stdout).toMatch(/^cost per second +0\.02\d+ US cents, for each running replica$/m);
});

describe('deploy --max-hourly', () => {
  test.each<[string, number, RegExp]>([
    ['0.10', 14, /web can cost \$0\.8\d an hour, the bound is \$0\.10/],
    ['5', 0, /^$/],
  ])('%s exits with %i', async (bound, exit, said) => {
    emulator.calls.length = 0;
    const { code, stderr } = await run(['deploy', '--yes', '--max-hourly', bound], { cwd: folder });
    expect([code, code === 0 ? '' : stderr]).toEqual([exit, expect.stringMatching(said)]);
    expect(emulator.calls.some(({ method }) => method === 'POST')).toBe(exit === 0);
  });

  test('of an app whose hardware has no known price says how to go on', async () => {
    const other = newFolder(smallApp('[cerebrium.hardware]\ncompute = "HOPPER_H100"\n'));
    const { code, stderr } = await run(['deploy', '--yes', '--name', 'new', '--max-hourly', '5'], { cwd: other });
    expect([code, stderr]).toEqual([14, expect.stringMatching(/not known[\s\S]*deploy once without --max-hourly/)]);
  });
});
