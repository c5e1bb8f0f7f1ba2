import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { listContainers } from '../../../src/contract/containers.ts';
import { listRuns } from '../../../src/contract/runs.ts';
import { NotReadyError } from '../../../src/errors.ts';
import { watchHealth } from '../../../src/operations/deploy/watch-health.ts';

/** A replica of the watched build over time, in ms since the watch began. */
interface Life {
  id: string;
  startsAt: number;
  readyAt: number;
  endsAt: number;
  /** When it restarts. */
  restarts: number[];
  endsAs: string;
}

interface Call {
  id: string;
  replica: string;
  startsAt: number;
  endsAt: number;
  status: string;
}

interface World {
  replicas: Life[];
  calls: Call[];
  expectsReplica: boolean;
}

const watchMs = 120_000;

/** Watches a world with a clock of its own. Gives the problem, undefined for a healthy build. */
async function watch({ replicas, calls, expectsReplica }: World, maxFailures = 0): Promise<string | undefined> {
  let now = 0;
  /** The platform does not list what has gone. */
  const isListed = ({ startsAt, endsAt, endsAs }: Life) => startsAt <= now && !(endsAs === 'gone' && endsAt <= now);
  const containers = () => replicas.filter(isListed).map((life) => containerOf(life, now));
  const runs = () => calls.filter(({ startsAt }) => startsAt <= now).map((call) => runOf(call, now));
  const api = async (endpoint: unknown) => {
    if (endpoint === listContainers) return containers();
    if (endpoint === listRuns) return { items: runs() };
    return { logs: [] };
  };
  const step = { update() {}, done() {}, fail() {}, clear() {} };
  const context = {
    api,
    apiWithSignal: () => api,
    cwd: '/',
    signal: new AbortController().signal,
    project: 'p-1',
    elapsed: () => now,
    delay: async (ms: number) => {
      now += ms;
    },
    progress: { step: () => step, note() {}, warn() {} },
  } as unknown as Context;
  try {
    await watchHealth(context, { app: 'web', build: 'b-2', watchMs, maxFailures, expectsReplica });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(NotReadyError);
    return (error as NotReadyError).message;
  }
}

function containerOf({ id, readyAt, endsAt, restarts, endsAs }: Life, now: number) {
  return {
    containerId: id,
    buildId: 'b-2',
    containerState: now < readyAt ? 'PENDING' : now < endsAt ? 'RUNNING' : endsAs,
    containerRestartCount: restarts.filter((at) => at <= now).length,
  };
}

const runOf = ({ id, replica, endsAt, status }: Call, now: number) => ({
  id,
  containerId: replica,
  status: now < endsAt ? 'processing' : status,
});

const time = (max = watchMs) => fc.integer({ min: 0, max });

/** Replicas come and go with the traffic, and each may restart once, as when its node is drained. */
const goodReplica = fc
  .record({
    startsAt: time(),
    startMs: time(40_000),
    livesMs: fc.integer({ min: 1_000, max: watchMs }),
    restart: fc.option(time()),
    endsAs: fc.constantFrom('SUCCEEDED', 'gone'),
  })
  .map(({ startsAt, startMs, livesMs, restart, endsAs }) => ({
    startsAt,
    readyAt: startsAt + startMs,
    endsAt: startsAt + startMs + livesMs,
    restarts: restart === null ? [] : [restart],
    endsAs,
  }));

const goodCall = fc.record({
  at: time(),
  ms: time(30_000),
  of: fc.nat(),
  status: fc.constantFrom('success', 'cancelled'),
});

const goodWorld: fc.Arbitrary<World> = fc
  .record({
    replicas: fc.array(goodReplica, { maxLength: 12 }),
    calls: fc.array(goodCall, { maxLength: 40 }),
    expectsReplica: fc.boolean(),
  })
  .map(({ replicas, calls, expectsReplica }) => {
    const named = replicas.map((life, index) => ({ ...life, id: `c-${index}` }));
    // An app that keeps replicas has one that stays.
    const stays = {
      id: 'c-stays',
      startsAt: 0,
      readyAt: 20_000,
      endsAt: Number.POSITIVE_INFINITY,
      restarts: [],
      endsAs: '',
    };
    const lives = expectsReplica ? [...named, stays] : named;
    return {
      replicas: lives,
      calls: lives.length > 0 ? calls.map((call, index) => callOf(call, index, lives)) : [],
      expectsReplica,
    };
  });

function callOf(
  { at, ms, of, status }: { at: number; ms: number; of: number; status: string },
  index: number,
  lives: Life[],
): Call {
  const replica = lives[of % lives.length]?.id ?? '';
  return { id: `r-${index}`, replica, startsAt: at, endsAt: at + ms, status };
}

test('a hundred good deploys raise no alarm, whatever their traffic and single restarts', async () => {
  await fc.assert(
    fc.asyncProperty(goodWorld, async (world) => {
      expect(await watch(world)).toBeUndefined();
    }),
    { numRuns: 100, seed: 20 },
  );
});

const crashes: Record<string, fc.Arbitrary<Life[]>> = {
  'restarts in place every few seconds': fc
    .integer({ min: 5_000, max: 40_000 })
    .map((everyMs) => [{ ...steady('c-bad'), restarts: [everyMs, 2 * everyMs] }]),
  'crashes once and stays down': time(100_000).map((endsAt) => [{ ...steady('c-bad'), endsAt, endsAs: 'FAILED' }]),
  'runs out of memory': time(100_000).map((endsAt) => [{ ...steady('c-bad'), endsAt, endsAs: 'OOMKilled' }]),
};

function steady(id: string): Life {
  return { id, startsAt: 0, readyAt: 0, endsAt: Number.POSITIVE_INFINITY, restarts: [], endsAs: 'SUCCEEDED' };
}

test.each(Object.entries(crashes))('a replica that %s is found in any traffic', async (_, crash) => {
  await fc.assert(
    fc.asyncProperty(goodWorld, crash, async (world, bad) => {
      expect(await watch({ ...world, replicas: [...world.replicas, ...bad] })).toContain('c-bad');
    }),
    { numRuns: 50, seed: 21 },
  );
});

test('replicas that are replaced after each crash are found by the failed calls', async () => {
  await fc.assert(
    fc.asyncProperty(goodWorld, time(100_000), async (world, at) => {
      const bad = { ...steady('c-bad'), endsAt: at + 20_000 };
      const call = { id: 'r-bad', replica: 'c-bad', startsAt: at, endsAt: at + 1_000, status: 'failure' };
      const seen = { ...world, replicas: [...world.replicas, bad], calls: [...world.calls, call] };
      expect(await watch(seen)).toContain('1 run failed');
      expect(await watch(seen, 1)).toBeUndefined();
    }),
    { numRuns: 50, seed: 22 },
  );
});

test('an app that keeps replicas must have one that is still there at the end', async () => {
  const vanished = { ...steady('c-1'), endsAt: 60_000, endsAs: 'gone' };
  expect(await watch({ replicas: [vanished], calls: [], expectsReplica: true })).toContain('no replica is running');
  const gone = { ...steady('c-1'), endsAt: 60_000 };
  expect(await watch({ replicas: [gone], calls: [], expectsReplica: true })).toContain('no replica is running');
  expect(await watch({ replicas: [gone], calls: [], expectsReplica: false })).toBeUndefined();
});
