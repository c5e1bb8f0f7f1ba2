import { expect, test } from 'vitest';
import { platform } from './support/platform.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** An app that was deployed at a midnight, and for how many seconds its replicas were paid for on each day since. */
async function billed(settings: object) {
  const { emulator, clock, ask, deploy } = await platform();
  const midnight = Date.UTC(2026, 10, 16);
  clock.now = midnight;
  const { path } = await deploy(settings);
  return {
    emulator,
    clock,
    ask,
    midnight,
    path,
    id: path.slice('/apps/'.length),
    seconds: async () => {
      const { costs } = (await ask('GET', `${path}/cost`)).json as {
        costs: Record<string, { total_cost_cents: number }>;
      };
      const { costPerSecondCents } = (await ask('GET', path)).json;
      return Object.values(costs).map(({ total_cost_cents: cents }) => Math.round(cents / Number(costPerSecondCents)));
    },
  };
}

test('replicas that min_replicas keeps are paid for without calls, as long as it does', async () => {
  const { clock, ask, midnight, path, seconds } = await billed({ minReplicaCount: 2, maxReplicaCount: 3 });
  clock.now = midnight + 1.5 * day;
  await ask('PATCH', path, { minReplicaCount: 0 });
  clock.now = midnight + 3 * day - 1;
  expect(await seconds()).toEqual([2 * 86_400, 86_400, 0]);
});

test('a replica that serves is one of those that are kept', async () => {
  const { emulator, clock, id, midnight, seconds } = await billed({
    minReplicaCount: 1,
    maxReplicaCount: 3,
    cooldownPeriodSeconds: 60,
  });
  const run = { app: id, runtimeMs: 10 * minute, statusCode: 200 };
  emulator.store.addRun({ ...run, container: 'a', createdAt: midnight + hour });
  emulator.store.addRun({ ...run, container: 'b', createdAt: midnight + hour + minute });
  clock.now = midnight + day - 1;
  // Ten minutes each, nine of them together, and both cooldowns but the first, which is in the run of the other one.
  expect(await seconds()).toEqual([86_400 + 10 * 60]);
});

test('a replica that runs over midnight is paid for once', async () => {
  const { emulator, clock, id, midnight, seconds } = await billed({ cooldownPeriodSeconds: 3600 });
  const run = { app: id, container: 'a', runtimeMs: minute, statusCode: 200 };
  for (const at of [-20, -10, 10]) emulator.store.addRun({ ...run, createdAt: midnight + day + at * minute });
  clock.now = midnight + 3 * day - 1;
  expect(await seconds()).toEqual([20 * 60, 10 * 60 + 60 + 3600, 0]);
});

test('a run of a file is paid for at the price of its own hardware, and has no cooldown', async () => {
  const { emulator, clock, id, midnight, seconds } = await billed({ cooldownPeriodSeconds: 3600, cpu: 2, memory: 4 });
  const twice = { cpu: 4, memory: 8, compute: ['CPU'], gpuCount: 0, computeTier: 'interruptible' };
  const run = { app: id, container: 'a', runtimeMs: 10 * minute, statusCode: 200, oneOff: true };
  emulator.store.addRun({
    ...run,
    billed: { ...twice, cooldownPeriodSeconds: 0, minReplicaCount: 0 },
    createdAt: midnight + hour,
  });
  clock.now = midnight + day - 1;
  expect(await seconds()).toEqual([20 * 60]);
});

test('a call that was refused names no replica, and none is paid for', async () => {
  const { emulator, ask, clock } = await platform();
  await ask('POST', '/apps', { name: 'web', minReplicaCount: 0 });
  const refused = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, { method: 'POST', body: '{}' });
  clock.now += minute;
  const { items } = (await ask('GET', `/apps/${emulator.project}-web/runs`)).json as { items: { podName: string }[] };
  expect([refused.status, items.map(({ podName }) => podName)]).toEqual([503, ['']]);
  const { costs } = (await ask('GET', `/apps/${emulator.project}-web/cost`)).json;
  expect(Object.values(costs as object)).toEqual([{ total_cost_cents: 0 }]);
});
