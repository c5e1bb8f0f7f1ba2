import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newFolder, platform } from './support/platform.ts';
import { python, running } from './support/running.ts';

const files = {
  'main.py': 'import os\nprint("started in", os.getpid())\ndef run():\n    return os.environ.get("KEY")\n',
};

/** An app whose replicas are listed, and as processes. */
async function listed(settings: object = {}, options: Parameters<typeof running>[2] = {}) {
  const scaling = { cooldownPeriodSeconds: 1, maxReplicaCount: 3, ...settings };
  const app = await running('functions', scaling, { files, ...options });
  const { ask, path, printed } = app;
  const replicas = async (): Promise<{ containerId: string; containerState: string }[]> =>
    (await ask('GET', `${path}/containers`)).json;
  return {
    ...app,
    replicas,
    ready: async () => (await replicas()).filter(({ containerState }) => containerState === 'RUNNING').length,
    processes: async () =>
      (await printed())
        .map((line) => Number(/^started in (\d+)/.exec(line)?.[1]))
        .filter((pid) => pid > 0 && isAlive(pid)).length,
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.runIf(python)('min_replicas of an app that runs here', () => {
  test('are processes: they start when the app is scaled, and end a cooldown after it keeps none', async () => {
    const { ask, path, ready, processes } = await listed();
    await ask('PATCH', path, { minReplicaCount: 2 });
    await expect.poll(ready).toBe(2);
    // More than the cooldown.
    await setTimeout(1_500);
    expect([await ready(), await processes()]).toEqual([2, 2]);
    await ask('PATCH', path, { minReplicaCount: 0 });
    await expect.poll(processes).toBe(0);
    await expect.poll(ready).toBe(0);
  });

  test('are there after a deploy, and after a secret has changed, without a call', async () => {
    const { emulator, ask, path, call, ready, processes } = await listed({ minReplicaCount: 2 });
    await expect.poll(ready).toBe(2);
    await ask('PATCH', `${path}/secrets`, { KEY: 'new' });
    // The old ones end once the new ones run.
    await expect.poll(async () => [await processes(), await ready()]).toEqual([2, 2]);
    expect(emulator.store.runs.size).toBe(0);
    // The two that are ready may still be the old ones.
    await expect.poll(async () => (await call('run')).json.result).toBe('new');
  });

  test('are there after the emulator has started again', async () => {
    const data = newFolder();
    const first = await platform({ now: Date.now, real: true, data }, () => {});
    const { path } = await first.deploy({ minReplicaCount: 1 }, files);
    await first.emulator.close();
    const { ask } = await platform({ now: Date.now, real: true, data });
    const states = async () =>
      (await ask('GET', `${path}/containers`)).json.map((each: { containerState: string }) => each.containerState);
    await expect.poll(states).toContain('RUNNING');
  });

  test('are paid for as long as they are listed, as is the replica of a build that nobody called', async () => {
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const { ask, path, ready } = await listed({ cooldownPeriodSeconds: 3600 }, { now });
    const paid = async () => {
      const { costs } = (await ask('GET', `${path}/cost`)).json as { costs: Record<string, Costs> };
      const { costPerSecondCents } = (await ask('GET', path)).json;
      const cents = Object.values(costs).reduce((sum, { total_cost_cents: each }) => sum + each, 0);
      return cents / Number(costPerSecondCents);
    };
    const since = now();
    aheadMs += 60_000;
    expect(await paid()).toBeGreaterThan(59);
    await ask('PATCH', path, { minReplicaCount: 3 });
    await expect.poll(ready).toBe(3);
    aheadMs += 60_000;
    const seconds = await paid();
    expect(seconds).toBeGreaterThan(239);
    // Rounding, and the time of the build.
    expect(seconds).toBeLessThan((3 * (now() - since)) / 1000 + 30);
  });
});

test.runIf(python)(
  'a replica that does not start has failed, and is none that runs for as long as a cooldown',
  async () => {
    const breaks = 'import os\nassert "BROKEN" not in os.environ, "broken"\ndef run():\n    return 1\n';
    const { ask, path, call, replicas, emulator } = await listed(
      { cooldownPeriodSeconds: 60 },
      { files: { 'main.py': breaks } },
    );
    await ask('PATCH', `${path}/secrets`, { BROKEN: 'yes' });
    expect(await call('run')).toMatchObject({ status: 503, text: expect.stringContaining('failed to start') });
    const [{ container } = { container: '' }] = emulator.store.runs.values();
    const failed = { containerId: container, containerState: 'Failed', containerStartTimestamp: null };
    expect(await replicas()).toContainEqual(expect.objectContaining({ ...failed, containerRunningTimeMs: 0 }));
  },
);

interface Costs {
  total_cost_cents: number;
}

test('min_replicas of an app that does not run here are listed and paid for from the moment in which it was scaled', async () => {
  const { clock, ask, deploy } = await platform();
  const { path } = await deploy({ maxReplicaCount: 3 });
  const build = async () => (await ask('GET', `${path}/containers`)).json;
  clock.now += 3_600_000;
  expect(await build()).toEqual([]);
  await ask('PATCH', path, { minReplicaCount: 1 });
  clock.now += 60_000;
  expect(await build()).toMatchObject([{ containerState: 'RUNNING', containerRunningTimeMs: 60_000 }]);
  await ask('PATCH', path, { minReplicaCount: 0 });
  clock.now += 60_000;
  expect(await build()).toEqual([]);
  const { costs } = (await ask('GET', `${path}/cost`)).json as { costs: Record<string, Costs> };
  const { costPerSecondCents } = (await ask('GET', path)).json;
  const [paid = 0] = Object.values(costs).map(({ total_cost_cents: cents }) => cents / Number(costPerSecondCents));
  expect(Math.round(paid)).toBe(60);
});
