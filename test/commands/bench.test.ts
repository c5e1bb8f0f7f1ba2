import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appServer, type Seen, sayJson } from '../support/app-server.ts';
import { emulatorForAll, gantry, keys, newFolder, type Setting, smallApp, wideTerminal } from '../support/index.ts';

interface Step {
  callsPerSecond: number;
  calls: number;
  succeeded: number;
  failures: { what: string; calls: number }[];
  parts: Record<'meanMs' | 'localMs' | 'lineMs' | 'queueMs' | 'coldStartMs' | 'appMs', number> | null;
  coldStarts: number | null;
  replicas: number | null;
  centsPerThousand: number | null;
  holds: boolean;
}
interface Report {
  steps: Step[];
  calls: number;
  foundRuns: number;
  holdsCallsPerSecond: number | null;
  breaksCallsPerSecond: number | null;
  allows: { callsPerSecond: number } | null;
  stoppedBy: string | null;
  unfinished: number;
  costCents: number;
}

const details = {
  id: 'p-12345678-web',
  name: 'web',
  costPerSecondCents: '0.01',
  cooldownPeriodSeconds: '10',
  minReplicaCount: '0',
  maxReplicaCount: '2',
  replicaConcurrency: '3',
};

/** An app whose calls are answered like this, and have the runs that this says. */
async function benched(
  answer: (response: ServerResponse, number: number, seen: Seen) => unknown = (response, number) =>
    sayJson(response, { run_id: `r-${number}` }),
  /** `run`: what its run has besides; undefined if it is not listed. */
  more: { details?: object; run?: (number: number) => object | undefined; files?: Record<string, string> } = {},
) {
  const runs: object[] = [];
  const runOf = more.run ?? (() => ({}));
  let calls = 0;
  const server = await appServer((response, seen) => {
    if (seen.path.includes('/runs/charts')) return sayJson(response, { items: runs, total: runs.length });
    if (seen.path.includes('/containers')) return sayJson(response, []);
    if (seen.method === 'GET') return sayJson(response, { ...details, ...more.details });
    const number = calls++;
    const own = runOf(number);
    const usual = {
      id: `r-${number}`,
      createdAt: new Date().toISOString(),
      statusCode: 200,
      podName: `web-${number % 2}`,
      coldstartTimeMs: 20,
      totalQueueTimeMs: 50,
      runtimeMs: 100,
      totalResponseTimeMs: 150,
    };
    if (own) runs.push({ ...usual, ...own });
    return answer(response, number, seen);
  });
  const cwd = newFolder(more.files ?? smallApp());
  const run = (line: string, setting: Setting = {}) =>
    gantry(['apps', 'bench', ...line.split(' ').filter(Boolean)], {
      cwd,
      ...setting,
      env: { ...server.env, XDG_CACHE_HOME: cwd, ...setting.env },
    });
  return { ...server, cwd, run, calls: () => calls };
}

const posts = (seen: readonly Seen[]) => seen.filter(({ method }) => method === 'POST');

test('calls do not wait for answers', async () => {
  const held: (() => void)[] = [];
  const { run } = await benched((response, number) => {
    const respond = () => sayJson(response, { run_id: `r-${number}` });
    // The first call is not measured. No other is answered before all have come.
    if (number === 0) return respond();
    held.push(respond);
    if (held.length === 12) for (const each of held) each();
  });
  const report = (await run('--rate 100 --for 120ms --json')).json() as Report;
  expect(report.steps).toMatchObject([{ callsPerSecond: 100, calls: 12, succeeded: 12, failures: [] }]);
  expect(report).toMatchObject({ calls: 12, foundRuns: 12, stoppedBy: null });
});

test('each call is tied to its run, and the parts add up to the whole', async () => {
  const { run, seen, cwd } = await benched();
  const outcome = await run('web predict n:=1 --rate 50,100 --for 100ms --json --html bench.html');
  const { steps, allows, foundRuns } = outcome.json() as Report;
  expect(posts(seen)).toHaveLength(16);
  expect(new Set(posts(seen).map(({ path, body }) => `${path} ${body}`))).toEqual(
    new Set(['/v4/p-12345678/web/predict {"n":1}']),
  );
  expect(foundRuns).toBe(15);
  for (const { parts, ...step } of steps) {
    expect(step).toMatchObject({ coldStarts: step.calls, replicas: 2 });
    expect(parts).toMatchObject({ queueMs: 30, coldStartMs: 20, appMs: 100 });
    const { meanMs = 0, ...others } = parts ?? {};
    expect(Object.values(others).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(meanMs, 6);
  }
  expect(allows).toMatchObject({ callsPerSecond: 60, replicas: 2, concurrency: 3, appMs: 100 });
  expect(readFileSync(join(cwd, 'bench.html'), 'utf8')).toContain('response time');
});

test('a terminal shows where the app breaks', async () => {
  const { run } = await benched((response, number) =>
    number > 6 ? sayJson(response, { message: 'no replica' }, 503) : sayJson(response, { run_id: `r-${number}` }),
  );
  const { stdout, code } = await run('--rate 50,100 --for 100ms', wideTerminal);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ *RATE +OK +P50 +P99 +QUEUE +COLD +APP +LINE +REPLICAS +PER 1,000 +CALLS$/m);
  expect(stdout).toMatch(/^100\/s +10\.0 %/m);
  expect(stdout).toMatch(/^100\/s +9 +HTTP 503$/m);
  expect(stdout).toContain('Holds 50/s, breaks at 100/s. 2 replicas x 3 at once / 100 ms = 60/s.');
  expect(stdout).toContain('6 of 15 calls found in the runs of the platform');
});

test('what the platform does not tell is not known', async () => {
  const { run } = await benched((response) => sayJson(response, {}), { details: { costPerSecondCents: null } });
  const { stdout } = await run('--rate 50 --for 100ms', wideTerminal);
  expect(stdout).toContain('0 of 5 calls found in the runs of the platform.');
  expect(stdout).toContain('Cost: not known.');
  expect((await run('--budget 1')).code).toBe(14);
});

describe('a budget', () => {
  const dear = { details: { costPerSecondCents: '100', cooldownPeriodSeconds: '0', maxReplicaCount: '1' } };

  test('ends the calls', async () => {
    const { run, calls } = await benched(undefined, dear);
    const { code, stdout } = await run('--rate 100 --for 60s --budget 0.10 --json');
    const report = JSON.parse(stdout) as Report;
    expect(code).toBe(0);
    expect(report.stoppedBy).toBe('budget');
    expect(report.calls).toBe(calls() - 1);
    expect(report.calls).toBeLessThan(1_000);
  });

  test.each([
    ['0.0115', 'budget', 3],
    ['1', null, 12],
  ])('of $%s counts calls that nobody waits for: %s', async (budget, stoppedBy, most) => {
    // A call runs for 0.6 s, in the only replica. Only the first one, which is not measured, is answered.
    const { run } = await benched((response, number) => number === 0 && setTimeout(() => sayJson(response, {}), 600), {
      details: { costPerSecondCents: '0.1', maxReplicaCount: '1', replicaConcurrency: '1' },
      run: (number) => (number === 0 ? { runtimeMs: 600 } : { statusCode: null, runtimeMs: null }),
    });
    const { json, stderr } = await run(`--rate 100 --for 120ms --call-timeout 300ms --budget ${budget} --json`);
    const report = json() as Report;
    const made = report.calls;
    expect(made).toBeLessThanOrEqual(most);
    expect(report).toMatchObject({ stoppedBy, unfinished: made });
    // Their cost is that of 0.6 s for each, and of the cooldown of 10 s.
    expect(report.costCents).toBeCloseTo(0.1 * (0.6 * made + 10), 0);
    expect(stderr).toMatch(new RegExp(`${made} calls? of web/run may go on[\\s\\S]*gantry runs list web`));
  });

  test('that a single call exceeds makes none', async () => {
    const { run, calls } = await benched();
    const { code, stderr } = await run('--budget 0.0005');
    expect([code, calls()]).toEqual([14, 0]);
    expect(stderr).toContain('a replica is kept for 10 s after its last call');
  });
});

describe('an app that is not of this folder', () => {
  const elsewhere = { files: { 'notes.txt': '' } };
  const line = 'web --rate 50 --for 20ms';

  test.each([
    ['', 9, '--yes --budget 1'],
    ['--yes', 9, '--budget 1'],
    ['--budget 1', 9, '--yes'],
  ])('is not called off a terminal with "%s"', async (flags, code, missing) => {
    const { run, calls } = await benched(undefined, elsewhere);
    const outcome = await run(`${line} ${flags}`);
    expect([outcome.code, calls()]).toEqual([code, 0]);
    expect(outcome.stderr).toContain(`pass ${missing}`);
    // What it advises works.
    expect((await run(`${line} ${flags} ${missing}`)).code).toBe(0);
  });

  test('is called after a yes', async () => {
    const { run, calls } = await benched(undefined, elsewhere);
    const no = await run(line, { stdin: keys('n\n'), columns: 80 });
    expect([no.code, calls()]).toEqual([130, 0]);
    expect(no.stderr).toContain('Call web/run 1 time: 50 a second, for 20 ms, for $0.0020 at most with 2');
    expect((await run(line, { stdin: keys('y\n'), columns: 80 })).code).toBe(0);
  });
});

test('Ctrl-C prints what was measured', async () => {
  const stop = new AbortController();
  const { run } = await benched((response, number) => {
    sayJson(response, { run_id: `r-${number}` });
    if (number === 5) setImmediate(() => stop.abort());
  });
  const { code, stdout, stderr } = await run('--rate 100 --for 60s --json', { stop: stop.signal });
  const report = JSON.parse(stdout) as Report;
  expect([code, report.stoppedBy]).toEqual([130, 'interrupt']);
  expect(report.foundRuns).toBeGreaterThanOrEqual(1);
  expect(stderr).toContain('stopping; what was measured follows');
});

test('a dry run and an app that refuses make no load', async () => {
  const { run, calls } = await benched((response) => sayJson(response, { message: 'no' }, 404));
  expect((await run('--rate 5 --for 10s --dry-run')).stdout).toContain('call web/run 50 times');
  expect(calls()).toBe(0);
  expect((await run('--rate 5 --for 10s')).code).toBe(6);
  expect(calls()).toBe(1);
});

describe('against the emulator', () => {
  const emulator = emulatorForAll({ real: false });

  test('the platform and gantry agree', async () => {
    const app = newFolder(smallApp());
    const setting = { emulator, cwd: app, env: { XDG_CACHE_HOME: app } };
    await gantry(['deploy', '--yes'], setting);
    const outcome = await gantry(['apps', 'bench', '--rate', '40', '--for', '200ms', '--json'], setting);
    const { steps, foundRuns } = outcome.json() as Report;
    expect(steps).toMatchObject([{ calls: 8, succeeded: 8, replicas: 1 }]);
    expect(steps[0]?.centsPerThousand).toBeGreaterThan(0);
    expect(foundRuns).toBe(8);
    expect(steps[0]?.parts?.lineMs).toBeGreaterThan(-5);
  });
});
