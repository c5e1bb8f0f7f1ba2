import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { altering } from '../support/altering.ts';
import { smallApp } from '../support/app.ts';
import { type Emulator, startEmulator } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, wideTerminal } from '../support/gantry.ts';
import { record } from '../support/runs.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 16, 9);
const clock = { now: start };

let emulator: Emulator;
let folder: string;
const builds: string[] = [];

beforeAll(async () => {
  [emulator, folder] = await Promise.all([
    startEmulator({ real: false, now: () => clock.now }),
    newFolder(smallApp('[cerebrium.scaling]\ncooldown = 600\n')),
  ]);
  await deploy();
  calls('one', { from: clock.now, number: 200, runtimeMs: 1_000 });
  // On the hour: none has some of both, however long a deploy takes.
  clock.now = start + 4 * hour;
  await writeFile(join(folder, 'main.py'), 'def run():\n    return {"hello": "again"}\n');
  await writeFile(
    join(folder, 'cerebrium.toml'),
    `${smallApp()['cerebrium.toml']}[cerebrium.scaling]\ncooldown = 60\n`,
  );
  await deploy();
  // A replica of the first build finishes what it has.
  calls('one', { from: clock.now, number: 20, runtimeMs: 9_000 });
  calls('two', { from: clock.now, number: 200, runtimeMs: 1_300 });
  clock.now += 4 * hour;
});
afterAll(() => emulator.close());

const run = (words: string[], more: Setting = {}) =>
  gantry(words, { emulator, clock, ...more, env: { GANTRY_CONFIG_DIR: join(folder, '.home'), ...more.env } });

async function deploy(): Promise<void> {
  const { code, json } = await run(['deploy', '--yes', '--json'], { cwd: folder });
  expect(code).toBe(0);
  builds.push((json() as { build: string }).build);
}

/** Calls of a replica in the four hours from a time on, one in ten of which fails. */
function calls(
  replica: string,
  { from, number, runtimeMs }: { from: number; number: number; runtimeMs: number },
): void {
  for (let call = 0; call < number; call++) {
    const createdAt = from + 60_000 + Math.floor((call * 3.9 * hour) / number);
    const vary = 1 + 0.3 * Math.sin(7 * call);
    record(emulator, {
      id: `${replica}-${from}-${call}`,
      createdAt,
      runtimeMs: Math.round(runtimeMs * vary),
      container: `web-${replica}`,
      coldstartMs: call % 20 === 0 ? 4_000 : 0,
      statusCode: call % 10 ? 200 : 500,
    });
  }
}

interface Comparison {
  verdict: string;
  before: { build: string; calls: number };
  after: { build: string; calls: number };
  hours: number[] | null;
  runTime: { verdict: string; changeShare: number };
  errors: { verdict: string; beforeShare: number };
  settings: unknown;
}
const compare = async (...words: string[]) =>
  (await run(['builds', 'compare', ...words, '--json'])).json() as Comparison;

describe('an app that is slow at some hours, whatever its build', () => {
  const day = 24 * hour;
  const first = Date.UTC(2026, 10, 16);
  const time = { now: first };
  let own: Emulator;
  let app: string;
  beforeAll(async () => {
    [own, app] = await Promise.all([startEmulator({ real: false, now: () => time.now }), newFolder(smallApp())]);
    const deployed = async () =>
      expect((await gantry(['deploy', '--yes'], { emulator: own, clock: time, cwd: app })).code).toBe(0);
    await deployed();
    // The second build is called in three hours of the day, and once in another one.
    for (let call = 0; call < 480; call++) slow('before', first + hour / 2 + (call * 2 * day) / 480);
    time.now += 2 * day;
    await writeFile(join(app, 'main.py'), 'def run():\n    return 2\n');
    await deployed();
    for (let call = 0; call < 300; call++) slow('after', first + 2 * day + 9 * hour + (call * 3 * hour) / 300);
    slow('after', first + 2 * day + 20 * hour);
    time.now += day;
  });
  afterAll(() => own.close());

  function slow(replica: string, at: number): void {
    const createdAt = Math.round(at);
    const isSlow = [9, 10, 11].includes(new Date(createdAt).getUTCHours());
    const runtimeMs = Math.round((isSlow ? 2_000 : 1_000) * (1 + 0.3 * Math.sin(createdAt)));
    record(own, { id: `${replica}-${createdAt}`, createdAt, runtimeMs, container: `web-${replica}` });
  }

  test('is not worse because it was called at those', async () => {
    const { json } = await gantry(['builds', 'compare', 'web', '--json'], { emulator: own, clock: time });
    const { verdict, hours, runTime, before } = json() as Comparison;
    expect(hours).toEqual([9, 10, 11, 20]);
    expect([verdict, runTime.verdict, before.calls]).toEqual(['no difference', 'no difference', 80]);
  });
});

test.each([
  ['is none of an app with one', [0], 'web has served no other build', []],
  ['is the last one that was replaced', [0, 60_000, 60_000], 1, []],
  ['is none that may have been ready after its next one', [0, 60_000, 60_000], 0, [1, 2]],
] as [string, number[], string | number, number[]][])(
  'the build that served before: %s',
  async (_, pauses, expected, atOnce) => {
    const time = { now: start };
    const app = newFolder(smallApp());
    const own = await startEmulator({ real: false, now: () => time.now });
    const setting = { emulator: own, clock: time, cwd: app };
    const deployed: string[] = [];
    for (const [at, pause] of pauses.entries()) {
      time.now += pause;
      await writeFile(join(app, 'main.py'), `def run():\n    return ${at}\n`);
      const { json } = await gantry(['deploy', '--yes', '--json'], {
        ...setting,
        env: { GANTRY_CONFIG_DIR: join(app, `.home-${at}`) },
      });
      deployed.push((json() as { build: string }).build);
    }
    time.now += hour;
    const endedAtOnce = atOnce.map((at) => deployed[at]);
    const env = await altering(own, (_, path, listed) => {
      if (!path.endsWith('/builds')) return undefined;
      const updatedAt = new Date(start + 3 * 60_000).toISOString();
      return {
        body: (listed as { id: string }[]).map((build) =>
          endedAtOnce.includes(build.id) ? { ...build, updatedAt } : build,
        ),
      };
    });
    const { json, stderr } = await gantry(['builds', 'compare', 'web', '--json'], {
      ...setting,
      env: { ...env, GANTRY_CONFIG_DIR: join(app, '.home') },
    });
    if (typeof expected === 'string') expect(stderr).toContain(expected);
    else expect((json() as Comparison).before.build).toBe(deployed[expected]);
    await own.close();
  },
);

describe('gantry builds compare', () => {
  test('shows what is worse, and what was changed', async () => {
    const { stdout, stderr, code } = await run(['builds', 'compare', 'web'], wideTerminal);
    expect(code).toBe(0);
    const [before, after] = builds.map((build) => build.slice(0, 8));
    expect(stdout).toMatch(new RegExp(`^web: ${after} \\(\\S+.*\\) against ${before} \\(`));
    expect(stdout).toMatch(/^worse: run time \+2\d %$/m);
    expect(stdout).toMatch(/^files +.*main\.py$/m);
    expect(stdout).toMatch(/^settings +cooldown 600 -> 60$/m);
    expect(stdout).toMatch(/^run time p50 +1\.\d s +1\.3 s +\+2\d % +p < 0\.001 +worse$/m);
    expect(stdout).toMatch(/^errors +10 % +10 % .* no difference$/m);
    expect(stderr).toContain('gantry rollback web --dry-run');
  });

  test('counts calls for the build whose replica handled them', async () => {
    const found = await compare('web');
    expect([found.before, found.after].map(({ build, calls }) => [build, calls])).toEqual([
      [builds[0], 220],
      [builds[1], 200],
    ]);
    expect(found.errors).toMatchObject({ verdict: 'no difference', beforeShare: 0.1 });
  });

  test.each([8, 26])('counts all calls if no hour of the day has some of both, after %i hours', async (hours) => {
    const { now } = clock;
    clock.now = start + hours * hour;
    const found = await compare('web');
    clock.now = now;
    expect([found.hours, found.after.calls]).toEqual([null, 200]);
  });

  test('takes builds by their first characters, and one against the build that serves', async () => {
    const [before = '', after = ''] = builds;
    const ofBoth = await compare('web', before.slice(0, 8), after.slice(0, 8));
    expect(await compare('web', before)).toEqual(ofBoth);
    const turned = await compare('web', after, before);
    expect([turned.verdict, turned.runTime.verdict]).toEqual(['better', 'better']);
    const here = await run(['builds', 'compare', before, after, '--json'], { cwd: folder });
    expect(here.json()).toEqual(ofBoth);
  });

  test('too few calls are a verdict', async () => {
    const found = await compare('web', '--since', new Date(clock.now - hour / 2).toISOString());
    expect([found.verdict, found.runTime.changeShare]).toEqual(['too few calls', null]);
  });

  test.each<[string[], number, RegExp]>([
    [['web', 'abcdef12'], 6, /no build abcdef12/],
    [['nope'], 6, /app nope not found/],
    [['web', '--html', '-'], 2, /invalid --html "-": expected a file name/],
  ])('%j exits with %i', async (words, code, said) => {
    const outcome = await run(['builds', 'compare', ...words]);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(said)]);
  });

  test('a build is not compared with itself', async () => {
    const [build = ''] = builds;
    expect((await run(['builds', 'compare', 'web', build, build])).code).toBe(2);
  });

  test('--html writes a page with both distributions', async () => {
    const file = join(folder, 'builds.html');
    expect((await run(['builds', 'compare', 'web', '--html', file])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('"axis":{"title":"percentile","unit":"%"}');
  });
});
