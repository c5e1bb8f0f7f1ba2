import { expect, test } from 'vitest';
import { ReplicaSpending } from '../../../src/calls/replica-budget.ts';
import { findLimit } from '../../../src/insight/bench/index.ts';
import { noResponse, StepCalls } from '../../../src/insight/bench/step-calls.ts';
import { keepsUp, summarizeStep } from '../../../src/insight/bench/summarize-step.ts';

test.each([
  ['an app that takes 11 a second', 11, [1, 2, 4, 8, 16, 11, 13]],
  ['an app that takes 3 a second', 3, [1, 2, 4, 2.8, 3.3]],
  ['an app that takes none', 0, [1]],
  ['an app without a limit', 1e9, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048]],
])('the search closes in on %s', async (_, limit, expected) => {
  const rates: number[] = [];
  await findLimit(async (rate) => {
    rates.push(rate);
    return rate <= limit;
  });
  expect(rates).toEqual(expected);
});

/** Calls of a step, 100 a second, that take this long each. */
function calls(durations: readonly number[], { late = 0, status = 200 } = {}): StepCalls {
  const step = new StepCalls(100, durations.length, 0);
  for (const ms of durations) {
    const call = step.start(step.dueAt(step.sent) + late);
    step.end(call, call.sentAt + ms, ms === Number.POSITIVE_INFINITY ? noResponse : status);
  }
  return step;
}
const facts = { price: 0.01, cooldownSeconds: 10, minReplicas: 0, maxReplicas: 2, concurrency: 1 };
const even = (length: number, ms: number) => Array.from({ length }, () => ms);

test('a call that left late has waited since it was due', () => {
  const { p50Ms, localLimit } = summarizeStep(calls(even(50, 20), { late: 300 }), facts);
  expect(p50Ms).toBe(320);
  expect(localLimit).toBe('calls left this machine up to 300 ms late');
});

test('a timer that is late by as much as timers are adds nothing', () => {
  const { p50Ms, localLimit } = summarizeStep(calls(even(50, 20), { late: 1.5 }), facts);
  expect(p50Ms).toBe(20);
  expect(localLimit).toBeNull();
  const busy = Object.assign(calls(even(50, 20)), { busy: 0.95 });
  expect(summarizeStep(busy, facts).localLimit).toBe('gantry used 95 % of a processor here');
});

test.each([
  ['even calls', even(60, 200), {}, true],
  ['a slow start', [...even(10, 5_000), ...even(50, 200)], {}, true],
  ['calls that queue up', Array.from({ length: 60 }, (_, call) => 200 + 30 * call), {}, false],
  ['refused calls', even(60, 5), { status: 503 }, false],
])('%s: keeps up?', (_, durations, more, expected) => {
  expect(keepsUp(calls(durations, more))).toBe(expected);
});

test('calls without a response count for percentiles, those that are refused at once do not', () => {
  const slow = new StepCalls(100, 4, 0);
  for (const [ms, status] of [
    [100, 200],
    [1, 503],
    [60_000, noResponse],
    [120, 200],
  ] as const) {
    const call = slow.start(slow.dueAt(slow.sent));
    slow.end(call, call.sentAt + ms, status);
  }
  expect(slow.abandoned).toBe(1);
  const { p50Ms, maxMs, succeeded, failures } = summarizeStep(slow, facts);
  expect([p50Ms, maxMs, succeeded]).toEqual([120, 60_000, 2]);
  expect(failures).toEqual([
    { what: 'HTTP 503', calls: 1 },
    { what: 'no response in time', calls: 1 },
  ]);
});

test('the call that ended last says how long one takes, though an earlier one has not ended', () => {
  const step = new StepCalls(100, 2, 0);
  const [, second] = [step.start(0), step.start(10)];
  step.end(second, 40, 200);
  expect(step.lastMs).toBe(30);
});

test('1,000 calls cost what their replicas do meanwhile', () => {
  const step = calls(even(100, 50));
  // The second replica starts for a call in the middle of the second.
  for (const [at, call] of step.calls.entries()) {
    const coldStartMs = at === 50 ? 100 : 0;
    call.record = { at: at * 10, runtimeMs: 50, queueMs: 0, coldStartMs, replica: at < 50 ? 'a' : 'b' };
  }
  const { centsPerThousand } = summarizeStep(step, { ...facts, cooldownSeconds: 600 });
  // Replica a for 1.04 s, b from 0.5 s on.
  expect(centsPerThousand).toBeCloseTo((1_000 * 0.01 * (1.04 + 0.54)) / 100, 6);
});

test.each([
  ['one of two that are kept', 2, 1, 2 * 1.04],
  ['each of two that are kept', 2, 2, 2 * 1.04],
  ['one of one that is kept', 1, 1, 1.04],
  ['two, one of which is kept', 1, 2, 1.04 + 1.03],
])('what runs is paid, with or without calls: %s is called', (_, minReplicas, called, seconds) => {
  const step = calls(even(100, 50));
  for (const [at, call] of step.calls.entries())
    call.record = { at: at * 10, runtimeMs: 50, queueMs: 0, coldStartMs: 0, replica: `${at % called}` };
  // Without a cooldown, a replica ends with its last call, unless it is kept.
  const { centsPerThousand } = summarizeStep(step, { ...facts, minReplicas, cooldownSeconds: 0 });
  expect(centsPerThousand).toBeCloseTo((1_000 * 0.01 * seconds) / 100, 6);
});

test('what is spent is what replicas ran, and their cooldown', async () => {
  let now = 1_000_000;
  const start = now;
  const time = (ms: number) => new Date(start + ms).toISOString();
  // One replica from the start, another from the 20th second; the first one ends in the 60th.
  const containers = () => [
    {
      containerId: 'a',
      containerStartTimestamp: time(-90_000),
      ...(now - start >= 60_000 && { containerTerminationTimestamp: time(60_000) }),
    },
    ...(now - start >= 20_000 ? [{ containerId: 'b', containerStartTimestamp: time(20_000) }] : []),
  ];
  const api = async () => containers();
  const context = {
    project: 'p',
    signal: new AbortController().signal,
    api,
    apiWithSignal: () => api,
    platformNow: () => now,
  };
  const spending = new ReplicaSpending(context as never, 'web', facts);
  now += 3_000;
  // Nothing has been seen yet: all replicas that the app may have are said to run.
  expect(spending.centsIfEndedNow(0)).toBeCloseTo(2 * (3 + facts.cooldownSeconds) * facts.price, 6);
  now = start;
  for (; now < start + 100_000; now += 1_000) {
    spending.lookNowAndThen();
    await new Promise((done) => setImmediate(done));
  }
  const seconds = 60 + 80 + facts.cooldownSeconds;
  expect(spending.centsIfEndedNow(0) / (facts.price * seconds)).toBeCloseTo(1, 1);
});
