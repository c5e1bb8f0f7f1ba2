import { expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

interface Seen {
  containers?: object[];
  runs?: object[];
}

/** Deploys, and then shows these replicas and runs, one entry for each look; the last one stays. */
async function watched(looks: Seen[]) {
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
  return await gantry(['deploy', '--json', '--watch', '10s'], { emulator, cwd: newFolder(smallApp()), env });
}

const running = { containerState: 'RUNNING', containerRestartCount: 0 };

test('a build whose replicas and runs are well is healthy', async () => {
  const runs = [{ status: 'success' }, { status: 'cancelled' }, { status: 'processing' }];
  const { code, json, stderr } = await watched([{}, { containers: [running], runs }]);
  expect(code).toBe(0);
  const seen = { replicas: 1, restarts: 0, runs: 2, failedRuns: 0 };
  expect(json()).toMatchObject({ changed: true, health: { verdict: 'healthy', ...seen } });
  expect(stderr).toMatch(/web is healthy after .*: 1 replica, 2 runs, 0 failed/);
  expect((json() as { health: { watchedMs: number } }).health.watchedMs).toBeGreaterThanOrEqual(10_000);
});

test('of an app that nobody calls, nothing is known', async () => {
  const { code, json, stderr } = await watched([{}]);
  expect(code).toBe(8);
  expect(stderr).toContain('no replica and no call of it was seen');
  expect(stderr).toMatch(/fix gantry deploy .*--smoke \S+/);
  expect(json()).toMatchObject({ error: { details: { verdict: 'unknown' } } });
});

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
