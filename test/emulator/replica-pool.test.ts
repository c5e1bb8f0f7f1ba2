import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AppRecord, BuildRecord } from '../../src/emulator/model/state/records.ts';
import { ReplicaPool } from '../../src/emulator/running/replicas/replica-pool.ts';
import type { RestartingReplica } from '../../src/emulator/running/replicas/restarting-replica.ts';
import { coldStartsOf, latencyOf } from '../../src/insight/tune/fit-model.ts';
import { PastCalls } from '../../src/insight/tune/past-calls.ts';
import { replayCalls } from '../../src/insight/tune/replay.ts';
import { pause } from '../../src/kernel/clock.ts';
import { Draw } from '../chaos/draw.js';

const from = Date.UTC(2026, 10, 16);
const startMs = 7_000;

beforeEach(() => void vi.useFakeTimers({ now: from }));
afterEach(() => void vi.useRealTimers());

interface PoolScaling {
  min?: number;
  max: number;
  concurrency: number;
  cooldown: number;
}

/** A pool whose replicas only take their time. */
function poolOf(scaling: PoolScaling, { runtime = 'cortex', stopMs = 0 } = {}) {
  let started = 0;
  const builds: string[] = [];
  const alive = new Set<string>();
  const lived: number[] = [];
  const pool = new ReplicaPool({
    start: ({ build }) => {
      builds.push(build.id);
      const [name, at] = [`r-${started++}`, Date.now()];
      const own = { isReady: false, readyAt: undefined as number | undefined, startedAt: at };
      const ready = pause(startMs).then(() => void Object.assign(own, { isReady: true, readyAt: Date.now() }));
      let end = () => {};
      const ended = new Promise<void>((done) => {
        end = done;
      });
      const stop = async () => {
        if (stopMs > 0) await pause(stopMs);
        alive.delete(name);
        lived.push(Date.now() - at);
        end();
      };
      alive.add(name);
      const replica = Object.assign(own, { ready, ended, runs: new Set<string>(), restartNow: () => {}, stop });
      return { name, replica: replica as unknown as RestartingReplica };
    },
    environment: () => ({}),
    now: () => Date.now(),
    current: () => app,
    keepWarm: false,
    ended: () => {},
  });
  const settings = {
    minReplicaCount: scaling.min ?? 0,
    maxReplicaCount: scaling.max,
    replicaConcurrency: scaling.concurrency,
    cooldownPeriodSeconds: scaling.cooldown,
    responseGracePeriodSeconds: 1,
    runtime,
  };
  const app = { settings } as unknown as AppRecord;
  let [coldStarts, calls] = [0, 0];
  const waited: number[] = [];
  const call = async (runtimeMs: number, { signal } = new AbortController()) => {
    const at = Date.now();
    const request = { app, build: { id: 'b-1' } as BuildRecord, python: '', run: `${calls++}`, isSocket: false };
    const more = { isReplaced: () => false, onQueued: () => {} };
    const slot = await pool.acquire({ ...request, ...more, signal });
    if (!slot?.wasReady) coldStarts++;
    await slot?.replica.ready;
    waited.push(Date.now() - at + runtimeMs);
    await pause(runtimeMs);
    slot?.release();
  };
  const of = (build: string) => ({ app, build: { id: build } as BuildRecord, python: '' });
  return { pool, of, builds, call, settings, alive, lived, counts: () => ({ coldStarts, waited, started }) };
}

test('min_replicas are kept when several have nothing to do at the same time', async () => {
  const { call, alive } = poolOf({ min: 1, max: 3, concurrency: 1, cooldown: 60 });
  const calls = [call(1_000), call(1_000), call(1_000)];
  await vi.advanceTimersByTimeAsync(10_000);
  await Promise.all(calls);
  expect(alive.size).toBe(3);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(alive.size).toBe(1);
});

test('one that is scaled to be kept while its cooldown runs is kept, and one that is not any more ends', async () => {
  const { call, settings, alive } = poolOf({ max: 2, concurrency: 1, cooldown: 60 });
  const calls = [call(1_000), call(1_000)];
  await vi.advanceTimersByTimeAsync(10_000);
  await Promise.all(calls);
  settings.minReplicaCount = 1;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(alive.size).toBe(1);
  settings.minReplicaCount = 0;
  const last = call(1_000);
  await vi.advanceTimersByTimeAsync(120_000);
  await last;
  expect(alive.size).toBe(0);
});

test('the cooldown of the first replica of a build begins when it is ready', async () => {
  const { pool, of, alive } = poolOf({ max: 1, concurrency: 1, cooldown: 10 });
  void pool.startFirst(of('b-1'), new AbortController().signal);
  await vi.advanceTimersByTimeAsync(startMs + 9_000);
  expect(alive.size).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(alive.size).toBe(0);
});

test('the first replica of a build, which no call has used, ends where a moved clock is past its cooldown', async () => {
  const { pool, of, alive } = poolOf({ max: 1, concurrency: 1, cooldown: 60 });
  const starting = pool.startFirst(of('b-1'), new AbortController().signal);
  await vi.advanceTimersByTimeAsync(startMs);
  await starting;
  expect(pool.list(of('b-1').app)).toMatchObject([{ state: 'RUNNING' }]);
  vi.setSystemTime(from + 3_600_000);
  expect(pool.list(of('b-1').app)).toMatchObject([{ endsAt: from + startMs + 60_000 }]);
  expect(alive.size).toBe(0);
});

test('a call that waits for many others listens once for its end', async () => {
  const { call } = poolOf({ max: 1, concurrency: 1, cooldown: 60 });
  const controller = new AbortController();
  const calls = [...Array.from({ length: 20 }, () => call(1_000)), call(1_000, controller)];
  await vi.advanceTimersByTimeAsync(startMs + 19_500);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(calls);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test('a call whose caller has left does not wait for a server that starts alone', async () => {
  const { pool, of, call } = poolOf({ max: 1, concurrency: 1, cooldown: 60 });
  const starting = pool.startFirstAlone(of('b-2'), new AbortController().signal);
  const controller = new AbortController();
  const left = expect(call(1_000, controller)).rejects.toThrow('the caller has left');
  controller.abort(new Error('the caller has left'));
  await left;
  await vi.advanceTimersByTimeAsync(startMs);
  await starting;
});

test('what needs an address ends a build before that is still starting, too', async () => {
  const { pool, of, alive } = poolOf({ max: 1, concurrency: 1, cooldown: 60 }, { runtime: 'custom' });
  const { signal } = new AbortController();
  void pool.startFirst(of('b-1'), signal);
  const starting = pool.startFirstAlone(of('b-2'), signal);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([...alive]).toEqual(['r-1']);
  await vi.advanceTimersByTimeAsync(startMs);
  await starting;
});

test('a version that was replaced while it waited for the port of the one before is not kept', async () => {
  const { pool, of, call, builds } = poolOf(
    { min: 1, max: 1, concurrency: 1, cooldown: 60 },
    { runtime: 'custom', stopMs: startMs + 1_000 },
  );
  const start = async (build: string) => {
    const ready = pool.startFirst(of(build), new AbortController().signal);
    await vi.advanceTimersByTimeAsync(startMs);
    await ready;
  };
  await start('b-1');
  const served = call(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  await served;
  await start('b-2');
  pool.replaceBy(of('b-2'));
  await start('b-3');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(builds).toEqual(['b-1', 'b-2', 'b-3']);
});

test.each([
  { max: 1, concurrency: 1, cooldown: 30 },
  { max: 3, concurrency: 1, cooldown: 45 },
  { max: 2, concurrency: 3, cooldown: 20 },
  { max: 5, concurrency: 2, cooldown: 90 },
])('what tune replays is what the emulator does: %j', async ({ max, concurrency, cooldown }) => {
  const draw = new Draw(max * 10 + concurrency);
  let at = from;
  // Odd and even: no call is made in the moment in which another ends.
  const calls = Array.from({ length: 300 }, () => {
    at += 2 * draw.int(1, draw.chance(0.2) ? 60_000 : 4_000);
    return { at, runtimeMs: 2 * draw.int(50, 9_000) + 1 };
  });
  const pool = poolOf({ max, concurrency, cooldown });
  const past = new PastCalls(from, at + 3_600_000);
  for (const { at, runtimeMs } of calls) {
    await vi.advanceTimersByTimeAsync(at - Date.now());
    void pool.call(runtimeMs);
    past.addCall(at, runtimeMs, { coldStartMs: 0, queueMs: 0, replica: undefined });
  }
  await vi.advanceTimersByTimeAsync(3_600_000);
  const scaling = { minReplicas: 0, maxReplicas: max, concurrency, cooldownMs: 1_000 * cooldown };
  const model = { routing: 'first', sharesStarts: false, starts: () => startMs } as const;
  const replayed = replayCalls(past.trace(), scaling, model);
  const { coldStarts, waited } = pool.counts();
  expect(coldStartsOf(replayed.days)).toBe(coldStarts);
  const lived = pool.lived.reduce((sum, ms) => sum + ms / 1000, 0);
  expect(Math.abs(replayed.replicaSeconds / lived - 1)).toBeLessThan(0.001);
  const sorted = waited.toSorted((a, b) => a - b);
  for (const share of [0.5, 0.9, 0.99]) {
    const real = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    expect(Math.abs(latencyOf(replayed.days).quantile(share) / real - 1)).toBeLessThan(0.011);
  }
});
