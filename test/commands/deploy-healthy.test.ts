import { expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

interface Seen {
  containers?: object[];
  runs?: object[];
}

/** Deploys, and then shows these replicas and runs, one entry for each look; the last one stays. */
async function watched(looks: Seen[], flags: string[] = [], more = '') {
  let build = '';
  let isUp = false;
  let number = 0;
  const look = () => looks[Math.min(number, looks.length - 1)] ?? {};
  const env = await altering(emulator, (method, path, json) => {
    if (method === 'POST' && path.endsWith('/apps')) build = (json as { buildId: string }).buildId;
    isUp ||= path.endsWith(`/builds/${build}`) && (json as { status: string }).status === 'success';
    if (!isUp) return undefined;
    if (path.endsWith('/containers')) {
      return { body: (look().containers ?? []).map((each) => ({ containerId: 'c-1', buildId: build, ...each })) };
    }
    if (!path.endsWith('/runs')) return undefined;
    const items = (look().runs ?? []).map((each, index) => ({ id: `r-${index}`, containerId: 'c-1', ...each }));
    number++;
    return { body: { items } };
  });
  const app = newFolder(smallApp(more));
  return await gantry(['deploy', '--json', '--watch', '10s', ...flags], { emulator, cwd: app, env });
}

const running = { containerState: 'RUNNING', containerRestartCount: 0 };
const failed = (number: number) => Array.from({ length: number }, () => ({ status: 'failure' }));

test('a build whose replicas and runs are well is healthy', async () => {
  const runs = [{ status: 'success' }, { status: 'cancelled' }, { status: 'processing' }];
  const { code, json, stderr } = await watched([{}, { containers: [running], runs }]);
  expect(code).toBe(0);
  const seen = { replicas: 1, restarts: 0, runs: 2, failedRuns: 0 };
  expect(json()).toMatchObject({ changed: true, health: { verdict: 'healthy', ...seen } });
  expect(stderr).toMatch(/web is healthy after .*: 1 replica, 2 runs, 0 failed/);
  expect((json() as { health: { watchedMs: number } }).health.watchedMs).toBeGreaterThanOrEqual(10_000);
});

// What is sick or not is a table of test/deploys/watch-build.test.ts.
test('failed runs of a replica that has gone are exit code 12', async () => {
  const { code, json } = await watched([{ containers: [running] }, { runs: failed(4) }]);
  expect(code).toBe(12);
  const { error } = json() as { error: { message: string; details: object } };
  expect(error.message).toMatch(/4 of 4 calls failed/);
  expect(error.details).toMatchObject({ app: 'web', build: expect.stringMatching(/./), verdict: 'sick' });
});

test('nothing can be said of a build that cannot be looked at', async () => {
  const env = await altering(emulator, (_method, path) =>
    path.endsWith('/containers') ? { status: 503, body: { message: 'down' } } : undefined,
  );
  const { code, stderr } = await gantry(['deploy', '--watch', '10s'], { emulator, cwd: newFolder(smallApp()), env });
  expect(code).toBe(8);
  expect(stderr).toMatch(/web serves build \S+, and whether it is healthy is not known: the platform did not answer/);
  expect(stderr).toContain('fix gantry deploy --if-changed --watch 10s');
});

test('needs a build that is waited for', async () => {
  const { code } = await gantry(['deploy', '--watch', '10s', '--detach'], { emulator });
  expect(code).toBe(2);
});

test('of an app that nobody calls, nothing is known', async () => {
  const { code, json, stderr } = await watched([{}]);
  expect(code).toBe(8);
  expect(stderr).toContain('no replica and no call of it was seen');
  expect(stderr).toMatch(/fix gantry deploy .*--smoke \S+/);
  expect(json()).toMatchObject({ error: { details: { verdict: 'unknown' } } });
});

test('an app that keeps replicas must have one in the end', async () => {
  const scaling = '[cerebrium.scaling]\nmin_replicas = 1\n';
  const outcome = await watched([{ containers: [{ containerState: 'PENDING' }] }], [], scaling);
  expect(outcome).toExit(8, 'replica c-1 is PENDING');
  expect((await watched([{}, { containers: [running] }], [], scaling)).code).toBe(0);
});

test('shows the end of the app’s log', async () => {
  const env = { text: 'ValueError: no model' };
  const { stderr } = await withLog(env.text);
  expect(stderr).toContain(env.text);
});

async function withLog(line: string) {
  let build = '';
  const env = await altering(emulator, (method, path, json) => {
    if (method === 'POST' && path.endsWith('/apps')) build = (json as { buildId: string }).buildId;
    const crashed = { containerId: 'c-1', buildId: build, containerState: 'FAILED' };
    if (path.endsWith('/containers')) return { body: [crashed] };
    if (!path.endsWith('/apps/web/logs') && !path.endsWith('-web/logs')) return undefined;
    return {
      status: 200,
      type: 'application/json',
      body: { logs: [{ logLine: line, timestamp: '2026-01-01T00:00:00Z' }] },
    };
  });
  return await gantry(['deploy', '--watch', '10s'], { emulator, cwd: newFolder(smallApp()), env });
}

test('a token that expires while a build is watched ends the watch, and the message says what is deployed', async () => {
  let [isUp, isWatched] = [false, false];
  const env = await altering(emulator, (_, path, json) => {
    isWatched ||= isUp && path.endsWith('/containers');
    isUp ||= /\/builds\/[^/]+$/.test(path) && (json as { status: string }).status === 'success';
    return isWatched ? { status: 401, body: { message: 'token expired' } } : undefined;
  });
  const { code, stderr } = await gantry(['deploy', '--watch', '10s'], { emulator, cwd: newFolder(smallApp()), env });
  const [build] = emulator.store.getAppBuilds(`${emulator.project}-web`);
  expect(code).toBe(4);
  expect(stderr).toContain(`why build ${build?.id.slice(0, 8)} of web is deployed`);
});
