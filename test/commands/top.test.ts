import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { appServer, sayJson } from '../support/app-server.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, jsonLines, keys, type Setting } from '../support/gantry.ts';
import { deployWeb, record, recordMany } from '../support/runs.ts';

const clock = { now: Date.UTC(2026, 10, 20, 12) };
/** Where there is no app. */
let cwd: string;

const emulator = emulatorForAll({ real: false, now: () => clock.now });

beforeAll(async () => {
  cwd = newFolder();
  await deployWeb(emulator);
  clock.now += 3_600_000;
});

const top = (line: string, more: Setting = {}) =>
  gantry(['metrics', '--live', ...line.split(' ').filter(Boolean)], { emulator, cwd, clock, ...more });

interface Line {
  apps: Record<string, unknown>[];
  failures: { app: string; statusCode: number; calls: number; run: string }[];
  problem: string | null;
}
const linesOf = (stdout: string): Line[] => jsonLines(stdout);
/** The last thing that was on the screen. */
const screenOf = (stdout: string) =>
  stripVTControlCharacters(stdout.slice(stdout.lastIndexOf('\u001b[H') + 3)).split('\n');
/** A terminal at which these keys are typed, one after each time that the screen shows this. */
function typing(typed: string, at = /web/, size: [columns: number, rows: number] = [80, 24]): Setting {
  let type = (_: string) => {};
  let left = typed;
  return {
    columns: size,
    env: { NO_COLOR: '1' },
    stdin: keys((given) => {
      type = given;
    }),
    seen: (stdout) => {
      if (!at.test(screenOf(stdout).join('\n'))) return;
      const key = left.slice(0, 1);
      left = left.slice(1);
      if (key) type(key);
    },
  };
}

describe('figures are of the last minute', () => {
  beforeAll(() => {
    const { now } = clock;
    // 30 calls within the next minute, of which 3 fail and 2 wait for a start, and one that goes on.
    recordMany(emulator, { name: 'ok', number: 25, from: now, to: now + 10_000, runtimeMs: 400 });
    recordMany(emulator, { name: 'bad', number: 3, from: now, to: now + 10_000, statusCode: 500 });
    recordMany(emulator, {
      name: 'cold',
      number: 2,
      from: now,
      to: now + 10_000,
      coldstartMs: 3_000,
      pendingMs: 3_000,
      runtimeMs: 400,
    });
    record(emulator, { id: 'long', createdAt: now, runtimeMs: 3_600_000 });
    // Later calls succeeded.
    record(emulator, { id: 'old', createdAt: now - 75_000, statusCode: 502 });
    clock.now += 20_000;
  });

  test('and say what is known of an app', async () => {
    const { stdout, code } = await top('--for 20s --json');
    expect(code).toBe(0);
    const last = linesOf(stdout).at(-2);
    expect(last?.apps).toMatchObject([
      {
        app: 'web',
        replicas: 1,
        queued: 0,
        coldStartsPerMinute: 2,
        p50Ms: 400,
        p90Ms: 400,
        p95Ms: 3_400,
        p99Ms: 3_400,
        errorShare: 0.1,
        builds: [{ replicas: 1 }],
      },
    ]);
    expect(last?.apps[0]?.callsPerSecond).toBeCloseTo(31 / 60, 6);
    expect(last?.apps[0]?.centsPerHour).toBeGreaterThan(0);
    expect(last).toMatchObject({ failures: [{ app: 'web', statusCode: 500, calls: 3, run: 'bad-0' }], problem: null });
  });

  test('a screen of 80 x 24 shows them until q, and leaves the terminal as it was', async () => {
    const { stdout, code } = await top('', typing('q', /> web +1\/\d .*\(1\)/));
    expect(code).toBe(0);
    expect(stdout.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(stdout.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    const screen = screenOf(stdout);
    expect(screen).toHaveLength(24);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(screen[0]).toMatch(/^p-\d+ {2}\d\d:\d\d:\d\d {2}1 app/);
    expect(screen[2]).toMatch(/^APP +REPLICAS/);
    expect(screen[3]).toMatch(/^> web +1\/\d /);
    expect(screen.at(-1)).toBe('[q] quit  [j] [k] select  [l] log');
  });

  test.each([40, 60, 120])('a terminal of %i columns shows the app and its replicas', async (columns) => {
    const { stdout } = await top('', typing('q', /> web +1\/\d/, [columns, 8]));
    const screen = screenOf(stdout);
    expect(screen).toHaveLength(8);
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(screen[3]).toMatch(/^> web +1\/\d/);
  });

  test('l shows the log of the app', async () => {
    const { stdout } = await top('', typing('lq', /> web/));
    expect(stripVTControlCharacters(stdout)).toMatch(/reading the log of web|the log of web is empty/);
  });

  test('a screen reader gets a list, and a pipe a line for each app', async () => {
    const env = { GANTRY_ACCESSIBLE: '1' };
    const read = await top('--for 15s', { columns: 80, env });
    expect(read.stdout).not.toContain('\u001b[?1049h');
    expect(read.stdout).toMatch(/^app: web\nreplicas: 1\/\d\n/m);
    const piped = await top('--for 15s');
    const [last = ''] = piped.stdout.trimEnd().split('\n').slice(-1);
    expect(last.split('\t').slice(1, 3)).toEqual(['web', '1']);
    expect(last.split('\t')).toHaveLength(13);
  });

  test('Ctrl-C ends it without an error', async () => {
    const { code, stderr } = await top('', { stop: /web/ });
    expect([code, stderr.trim()]).toEqual([130, '']);
  });
});

/** A project with these apps, whose requests are answered like this, and when each came. */
async function project(apps: () => string[], answer?: (path: string) => number | undefined) {
  const asked = new Map<string, number[]>();
  const time = { now: clock.now };
  const { env } = await appServer((response, { path }) => {
    const status = answer?.(path);
    if (status) return sayJson(response, { message: 'not now' }, status);
    const [, app] = /\/apps\/p-12345678-([\w-]+)/.exec(path) ?? [];
    if (!app)
      return sayJson(
        response,
        apps().map((name) => ({ id: `p-12345678-${name}`, name })),
      );
    asked.set(app, [...(asked.get(app) ?? []), time.now]);
    if (path.includes('/runs/charts')) return sayJson(response, { items: [], total: 0 });
    if (path.includes('/containers')) return sayJson(response, [{ containerId: 'c', containerState: 'RUNNING' }]);
    return sayJson(response, { id: `p-12345678-${app}`, name: app, maxReplicaCount: '2' });
  });
  const run = (line: string) => gantry(['metrics', '--live', ...line.split(' ')], { env, cwd, clock: time });
  return { asked, run };
}

test('builds that run at the same time are shown with their replicas, that with most of them first', async () => {
  const { env } = await appServer((response, { path }) => {
    if (path.includes('/runs/charts')) return sayJson(response, { items: [], total: 0 });
    const running = ['b-1', 'b-2', 'b-2'].map((buildId, at) => ({
      containerId: `c-${at}`,
      containerState: 'RUNNING',
      buildId,
    }));
    if (path.includes('/containers')) return sayJson(response, running);
    return sayJson(response, { id: 'p-12345678-web', name: 'web', maxReplicaCount: '4' });
  });
  const { stdout } = await gantry(['metrics', '--live', 'web', '--for', '10s', '--json'], {
    env,
    cwd,
    clock: { now: clock.now },
  });
  expect(linesOf(stdout).flatMap(({ apps = [] }) => apps.map(({ builds }) => builds))).toContainEqual([
    { build: 'b-2', replicas: 2 },
    { build: 'b-1', replicas: 1 },
  ]);
});

test('after its first picture an app is asked at most once in five seconds, however often top is to look', async () => {
  const { asked, run } = await project(() => ['a', 'b', 'c']);
  expect((await run('--for 2m --json')).code).toBe(0);
  for (const times of asked.values()) {
    expect(times.length).toBeGreaterThan(20);
    const [first, ...later] = times.slice(2);
    const gaps = later.map((at, index) => at - ([first, ...later][index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5_000);
  }
});

test('the first picture is a whole one', async () => {
  const { run } = await project(() => ['a']);
  const [first] = linesOf((await run('--for 4s --json')).stdout);
  expect(first?.apps).toMatchObject([{ app: 'a', replicas: 1, maxReplicas: 2, callsPerSecond: 0 }]);
});

test('apps come and go', async () => {
  let number = 0;
  const { run } = await project(() => (number++ % 2 === 0 ? ['a', 'b'] : ['b', 'new']));
  const { stdout } = await run('--for 1m --json');
  const seen = new Set(
    linesOf(stdout).map(({ apps }) =>
      (apps ?? [])
        .map(({ app }) => app)
        .sort()
        .join(),
    ),
  );
  expect([...seen].filter(Boolean).sort()).toEqual(['a,b', 'b,new']);
});

test('a platform that is away for a while is waited for, and what is old is said', async () => {
  let asked = 0;
  const { run } = await project(
    () => ['a'],
    (path) => (path.includes('/runs/charts') && asked++ < 2 ? 503 : undefined),
  );
  const lines = linesOf((await run('--for 40s --json')).stdout);
  expect(lines.some(({ problem }) => problem !== null && problem !== undefined)).toBe(true);
  expect(lines.at(-2)).toMatchObject({ problem: null, apps: [{ app: 'a', replicas: 1 }] });
});

test('what waiting does not mend ends it', async () => {
  const { run } = await project(
    () => ['a'],
    (path) => (path.includes('/runs/charts') ? 401 : undefined),
  );
  expect((await run('--for 40s')).code).toBe(4);
});
