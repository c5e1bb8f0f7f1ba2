import { expect, test } from 'vitest';
import { callAll } from '../../../src/calls/map/map-calls.ts';
import { MapSpending } from '../../../src/calls/map/map-spending.ts';
import { AdaptiveWidth } from '../../../src/storage/transfer/adaptive-width.ts';

interface Case {
  /** How long each call takes, in s. */
  takes: (call: number) => number;
  replicas: number;
  concurrency: number;
  /** In flight. */
  width: number;
  coldStart: number;
  cooldownSeconds: number;
  /** US cents; a replica costs 0.1 a second. */
  budget: number;
}

const usual: Case = {
  takes: () => 5,
  replicas: 4,
  concurrency: 2,
  width: 8,
  coldStart: 30,
  cooldownSeconds: 60,
  budget: 100,
};

const cases: [what: string, one: Partial<Case>][] = [
  ['calls of a length', {}],
  ['calls of many lengths', { takes: (call) => [1, 4, 9, 2, 7][call % 5] ?? 1 }],
  ['long calls', { takes: () => 60, budget: 300 }],
  ['calls that get longer', { takes: (call) => 2 + call / 50 }],
  ['more calls than the replicas take', { width: 64 }],
  ['one replica', { replicas: 1, concurrency: 1, width: 1, budget: 50 }],
  ['many replicas', { replicas: 20, width: 40, budget: 400 }],
  ['a slow start', { coldStart: 120, budget: 300 }],
  ['no cooldownSeconds', { cooldownSeconds: 0 }],
];

test.each(cases)('%s end before they cost more than the budget, and use it up', async (_, one) => {
  const { spent, budget, told, calls } = await simulate({ ...usual, ...one });
  expect(calls).toBeLessThan(100_000);
  expect(spent / budget).toBeLessThan(1.05);
  expect(spent / budget).toBeGreaterThan(0.85);
  expect(told / spent).toBeCloseTo(1, 1);
});

test('what is left costs as much as what was called, and is not said where it rounds to nothing', async () => {
  const { left, spent, calls } = await simulate({ ...usual, cooldownSeconds: 0 });
  expect((left(calls) ?? 0) / spent).toBeCloseTo(1, 1);
  expect([left(0.001), left(0)]).toEqual([undefined, undefined]);
});

/** An app whose replicas start when all others are busy, in a time of its own. */
async function simulate({ takes, replicas: max, concurrency, width, coldStart, cooldownSeconds, budget }: Case) {
  let now = 1_000_000;
  let calls = 0;
  const price = 0.1;
  const replicas: { startedAt: number; readyAt: number; busy: number; endedAt: number }[] = [];
  const events: { at: number; happens: () => void }[] = [];
  const later = (ms: number) =>
    new Promise<void>((happens) => {
      events.push({ at: now + ms, happens });
      events.sort((one, other) => one.at - other.at);
    });
  const freed: (() => void)[] = [];
  async function call() {
    const duration = takes(calls++) * 1_000;
    const free = () => replicas.find(({ busy }) => busy < concurrency);
    if (!free() && replicas.length < max)
      replicas.push({ startedAt: now, readyAt: now + coldStart * 1_000, busy: 0, endedAt: 0 });
    while (!free()) await new Promise<void>((resolve) => freed.push(resolve));
    const replica = free() as (typeof replicas)[number];
    replica.busy++;
    await later(Math.max(0, replica.readyAt - now) + duration);
    replica.busy--;
    replica.endedAt = now;
    freed.shift()?.();
  }
  const api = async () =>
    replicas.map(({ startedAt }, index) => ({
      containerId: `r-${index}`,
      containerStartTimestamp: new Date(startedAt).toISOString(),
    }));
  const context = {
    project: 'p',
    signal: new AbortController().signal,
    apiWithSignal: () => api,
    elapsed: () => now,
    platformNow: () => now,
  };
  const facts = { price, cooldownSeconds, minReplicas: 0, maxReplicas: max, concurrency };
  const spending = new MapSpending(context as never, 'web', facts, budget);
  const adaptive = new AdaptiveWidth({ max: width, elapsed: () => now, trace: () => {} });
  async function* inputs() {
    for (let index = 0; index < 100_000; index++) yield { index, body: '' } as never;
  }
  let isDone = false;
  const options = { inputs: inputs(), width: adaptive, elapsed: () => now, limit: () => spending.limit(width) };
  const work = callAll({ ...options, isOver: () => spending.isSpent }, () => call().finally(spending.begin()));
  void work.finally(() => {
    isDone = true;
  });
  for (let lookedAt = now; !isDone; ) {
    await new Promise(setImmediate);
    const next = events.shift();
    if (!next) continue;
    now = next.at;
    if (now - lookedAt >= 5_000) {
      lookedAt = now;
      spending.lookNowAndThen();
      await new Promise(setImmediate);
    }
    next.happens();
  }
  const ms = replicas.reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt + cooldownSeconds * 1_000, 0);
  await spending.look();
  return {
    calls,
    budget,
    spent: (ms * price) / 1_000,
    told: spending.cost(0)?.soFar ?? 0,
    left: (inputsLeft: number) => spending.cost(inputsLeft)?.left,
  };
}
