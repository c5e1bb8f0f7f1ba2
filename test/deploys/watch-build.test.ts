import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noSmoke, ObservedBuild, type Smoke } from '../../src/deploys/observed-build.ts';
import { watchBuild } from '../../src/deploys/verify.ts';
import { DeniedError, NotFoundError, UnavailableError } from '../../src/kernel/errors.ts';
import type { Context } from '../../src/platform/context.ts';
import { getApp } from '../../src/platform/contract/apps.ts';
import { listContainers } from '../../src/platform/contract/containers.ts';
import { getRunsChart, listRuns } from '../../src/platform/contract/runs.ts';

/** A replica over time, in ms since the watch began. */
interface Life {
  id: string;
  build: string;
  startsAt: number;
  readyAt: number;
  endsAt: number;
  /** When it restarts under its name. */
  restarts: number[];
  /** Its state afterwards; `gone`: it is not listed any more. */
  endsAs: string;
  /** When one that is to come back is scaled down instead. */
  stopsAt: number;
  terminatesAt: number;
}

interface Call {
  id: string;
  replica: string;
  startsAt: number;
  endsAt: number;
  status?: string;
  statusCode?: number;
  functionName?: string;
}

interface World {
  replicas: Life[];
  calls: Call[];
  minReplicas: number;
  /** Somebody scales to zero at this time. */
  scaledDownAt: number;
  /** Builds that serve from a time on. */
  served: [at: number, build: string][];
  cooldown: number;
  /** What the platform does not list. */
  hides: ('containers' | 'runs' | 'chart' | 'statuses' | 'scaling')[];
  /** It does not answer from this time on. */
  isDownFrom: number;
  /** Of the app. */
  status: string;
  pageSize: number;
  /** Lists at these times leave out all replicas. */
  omits: number[];
}

const watchMs = 120_000;
const never = Number.POSITIVE_INFINITY;

function life(id: string, more: Partial<Life> = {}): Life {
  const whole = { build: 'b-2', startsAt: 0, readyAt: 0, endsAt: never, restarts: [], endsAs: 'gone' };
  return { id, ...whole, stopsAt: never, terminatesAt: never, ...more };
}

function worldOf(more: Partial<World>): World {
  const idle = {
    replicas: [well],
    calls: [],
    minReplicas: 0,
    scaledDownAt: never,
    status: 'active',
    served: [[-1, 'b-2']] satisfies World['served'],
  };
  return { ...idle, cooldown: 30, hides: [], isDownFrom: never, pageSize: 1_000, omits: [], ...more };
}

interface Watched {
  verdict: string;
  reason: string;
  watchedMs: number;
}

/** Watches a world with a clock of its own. */
async function watch(more: Partial<World>, isProven = false): Promise<Watched> {
  const world = worldOf(more);
  let now = 0;
  const isListed = ({ startsAt, endsAt, endsAs }: Life) => startsAt <= now && !(endsAs === 'gone' && endsAt <= now);
  const api = async (endpoint: unknown, { query }: { query?: { nextToken?: string } } = {}) => {
    if (now >= world.isDownFrom) throw new UnavailableError('connection refused');
    if (endpoint === getApp) return appAt(world, now);
    if (endpoint === listContainers) {
      if (world.hides.includes('containers')) throw new DeniedError('not allowed', { status: 403 });
      if (world.omits.includes(now)) return [];
      return world.replicas.filter(isListed).map((each) => containerOf(each, now));
    }
    if (endpoint === listRuns && world.hides.includes('runs')) throw new NotFoundError('no such path', { status: 404 });
    if (endpoint === getRunsChart && world.hides.includes('chart'))
      throw new DeniedError('not allowed (403)', { status: 403 });
    if (endpoint !== listRuns && endpoint !== getRunsChart) return { logs: [] };
    const started = world.calls.filter(({ startsAt }) => startsAt <= now).sort((a, b) => b.startsAt - a.startsAt);
    const from = Number(query?.nextToken ?? 0);
    const items = started.slice(from, from + world.pageSize).map((call) => runOf(call, now, world.hides));
    const nextToken = from + world.pageSize < started.length ? String(from + world.pageSize) : null;
    return { items, nextToken };
  };
  const step = { update() {}, done() {}, fail() {}, clear() {} };
  const context = {
    api,
    signal: new AbortController().signal,
    settings: {
      folders: { state: 'none' },
      addresses: { management: { value: 'https://platform.test' } },
      teamState: {},
    },
    project: 'p-1',
    now: () => now,
    platformNow: () => now,
    elapsed: () => now,
    delay: async (ms: number) => {
      now += ms;
    },
    progress: { step: () => step, note() {}, warn() {} },
  } as unknown as Context;
  const observed = new ObservedBuild(context, {
    app: 'web',
    build: 'b-2',
    minReplicas: world.minReplicas,
    isNew: true,
    before: undefined,
    earlierBuilds: new Set<string>(),
    sickTimes: [],
  });
  const smoke: Smoke = isProven ? { says: 'yes', reason: '', calls: 1 } : noSmoke;
  const { finding: verdict, reason } = await watchBuild(context, observed, smoke, watchMs);
  return { verdict, reason, watchedMs: now };
}

function appAt({ served, minReplicas, scaledDownAt, cooldown, hides, status }: World, now: number) {
  const latestReadyBuildId = served.filter(([at]) => at <= now).at(-1)?.[1];
  const scaling = { minReplicaCount: now < scaledDownAt ? minReplicas : 0, cooldownPeriodSeconds: cooldown };
  return { id: 'p-1-web', status, latestReadyBuildId, ...(hides.includes('scaling') ? {} : scaling) };
}

function containerOf(replica: Life, now: number) {
  const { id, build, startsAt, readyAt, endsAt, restarts, endsAs, stopsAt, terminatesAt } = replica;
  return {
    containerId: id,
    buildId: build,
    containerStartTimestamp: new Date(startsAt).toISOString(),
    containerState: now < readyAt ? 'PENDING' : now < endsAt ? 'RUNNING' : now < stopsAt ? endsAs : 'SUCCEEDED',
    containerRestartCount: restarts.filter((at) => at <= now).length,
    isTerminating: now >= terminatesAt,
  };
}

function runOf({ id, replica, endsAt, status, statusCode, functionName }: Call, now: number, hides: World['hides']) {
  const hasEnded = now >= endsAt;
  const shownStatus = hides.includes('statuses') ? {} : { status: hasEnded ? (status ?? 'success') : 'processing' };
  const usual = { success: 200, cancelled: 0, closed: -1 }[status ?? 'success'] ?? 500;
  const code = statusCode ?? usual;
  return { id, containerId: replica, functionName, ...shownStatus, ...(hasEnded && { statusCode: code }) };
}

function calls(number: number, more: Partial<Call> & { prefix?: string; everyMs?: number } = {}): Call[] {
  const { prefix = 'r', everyMs = watchMs / (number + 1), replica = 'c-1', startsAt = 1_000, ...rest } = more;
  return Array.from({ length: number }, (_, at) => {
    const start = startsAt + at * everyMs;
    return { id: `${prefix}-${at}`, replica, startsAt: start, endsAt: start + 500, ...rest };
  });
}

/** Calls before the watch, of a replica of the build before. */
const earlier = (number: number, more: Partial<Call> = {}) =>
  calls(number, { prefix: 'before', replica: 'c-0', startsAt: -100_000, everyMs: 100, ...more });

const failing = { status: 'failure', statusCode: 500 };
const refused = { status: 'failure', statusCode: 422 };
const missing = { status: 'failure', statusCode: 404 };
const run = { functionName: 'run' };
const well = life('c-1');
/** With one of the build before. */
const both = { replicas: [well, life('c-0', { build: 'b-1' })] };
const none = { replicas: [] };
/** Calls with ids of their own. */
const told = (...all: Call[][]) => all.flat().map((call, at) => ({ ...call, id: `r-${at}` }));
const replaced = (livesMs: number, number = 5, more: Partial<Life> = {}) =>
  Array.from({ length: number }, (_, at) =>
    life(`c-${at + 1}`, { startsAt: at * livesMs, readyAt: at * livesMs, endsAt: (at + 1) * livesMs, ...more }),
  );

const healthy: [string, Partial<World>][] = [
  ['a replica that runs', {}],
  ['a replica that takes its time to start', { replicas: [life('c-1', { readyAt: 90_000 })], minReplicas: 1 }],
  ['calls that succeed on a platform without the list of runs', { calls: calls(3), hides: ['runs'] }],
  [
    'a replica that was there before the first look, and was scaled down after its calls',
    { replicas: [life('c-1', { startsAt: -40_000, readyAt: -40_000, endsAt: 12_000 })], calls: calls(1) },
  ],
  [
    'one that ran a little longer than two looks show',
    { replicas: [life('c-1', { startsAt: 500, readyAt: 2_500, endsAt: 33_500 })], calls: calls(1) },
  ],
  ['one that was scaled down after its calls', { replicas: [life('c-1', { endsAt: 60_000 })], calls: calls(1) }],
  ['a restart that a drained node explains', { replicas: [life('c-1', { restarts: [30_000] })] }],
  [
    'a replica that was drained, and one that took its place',
    {
      minReplicas: 1,
      replicas: [life('c-1', { terminatesAt: 20_000, endsAt: 26_000 }), life('c-2', { startsAt: 22_000 })],
    },
  ],
  [
    'an app that somebody scales to zero',
    { minReplicas: 1, scaledDownAt: 20_000, replicas: [life('c-1', { endsAt: 24_000 })], calls: calls(1) },
  ],
  [
    'a terminating replica that restarts again and again',
    { replicas: [well, life('c-9', { terminatesAt: 10_000, restarts: [12_000, 14_000, 16_000] })] },
  ],
  [
    'one that ended once, and is scaled down before it is back',
    { replicas: [life('c-1', { endsAt: 40_000, endsAs: 'PENDING', stopsAt: 48_000 })], calls: calls(1) },
  ],
  ['one failed call of 99', { calls: told(calls(98), calls(1, failing)) }],
  [
    'failures as often as before',
    { ...both, calls: told(calls(20, failing), calls(80), earlier(40, failing), earlier(160)) },
  ],
  [
    'a call that failed as chance has it, compared with those before',
    { ...both, calls: told(calls(2, failing), calls(3), earlier(5, failing), earlier(15)) },
  ],
  ['calls that were canceled', { calls: calls(9, { status: 'cancelled', statusCode: 0 }) }],
  ['failing calls of the build before', { ...both, calls: calls(9, { replica: 'c-0', ...failing }) }],
  ['callers that send nonsense', { calls: calls(4, refused) }],
  [
    'callers that mistype the name of a function',
    { ...both, calls: told(calls(11, { ...missing, functionName: 'runn' }), calls(1, run), earlier(150, run)) },
  ],
  ['replicas that one list leaves out', { replicas: [well, life('c-2')], minReplicas: 2, omits: [40_000, 50_000] }],
  ['crashes of the build before', { replicas: [well, life('c-0', { build: 'b-1', restarts: [1, 2, 3, 4] })] }],
];

const restarted = /restarted 2 times/;
const sick: [string, Partial<World>, RegExp][] = [
  ['a replica that restarts again and again', { replicas: [life('c-1', { restarts: [10_000, 20_000] })] }, restarted],
  [
    'one that restarted, ended again, and is scaled down before it is back',
    {
      replicas: [life('c-1', { restarts: [9_000], endsAt: 20_000, endsAs: 'PENDING', stopsAt: 28_000 })],
      calls: calls(1),
    },
    restarted,
  ],
  ['replicas that die and come back under new names', { replicas: replaced(15_000), minReplicas: 1 }, restarted],
  ['the same of an app that keeps no replica', { replicas: replaced(15_000) }, restarted],
  ['replicas that never start', { replicas: replaced(15_000, 6, { readyAt: never }), minReplicas: 1 }, restarted],
  [
    'one that restarted, was replaced, and restarted',
    {
      minReplicas: 1,
      replicas: [
        life('c-1', { restarts: [9_000], endsAt: 50_000 }),
        life('c-2', { startsAt: 50_000, restarts: [70_000] }),
      ],
    },
    restarted,
  ],
  [
    'one of two replicas crashed and waits',
    { replicas: [well, life('c-2', { endsAt: 100_000, endsAs: 'PENDING' })], minReplicas: 2 },
    /c-2 ended and is not running again/,
  ],
  ['a replica that failed', { replicas: [life('c-1', { endsAt: 30_000, endsAs: 'FAILED' })] }, /c-1 is FAILED/],
  ['one out of memory', { replicas: [life('c-1', { endsAt: 30_000, endsAs: 'OOMKilled' })] }, /c-1 is OOMKilled/],
  ['the last replica is gone', { replicas: [life('c-1', { endsAt: 60_000 })], minReplicas: 1 }, /not running again/],
  ['four calls that fail', { calls: calls(4, failing) }, /4 of 4 calls failed, none before/],
  ['calls whose status is a number', { calls: calls(4, failing), hides: ['statuses'] }, /4 of 4 calls failed/],
  [
    'five calls that fail, after a single one that failed before',
    { ...both, calls: told(calls(5, failing), earlier(1, failing)) },
    /5 of 5 calls failed, 1 of 1 before/,
  ],
  [
    'calls that fail more often than before',
    { ...both, calls: told(calls(9, failing), calls(91), earlier(300)) },
    /of \d+ calls failed, 0 of 300 before/,
  ],
  [
    'failing calls on a later page',
    { calls: told(calls(9, { ...failing, everyMs: 1 }), calls(9, { startsAt: 1_500, everyMs: 1 })), pageSize: 3 },
    /of \d+ calls failed/,
  ],
];

const unknown: [string, Partial<World>, RegExp][] = [
  ['nobody called an app that keeps no replica', none, /no replica and no call of it was seen/],
  ['its replica waits for the whole watch', { replicas: [life('c-1', { readyAt: never })] }, /c-1 is PENDING/],
  [
    'the same of an app that keeps one',
    { replicas: [life('c-1', { readyAt: never })], minReplicas: 1 },
    /c-1 is PENDING/,
  ],
  ['no replica has come although the app keeps one', { ...none, minReplicas: 1 }, /no replica has started/],
  [
    'calls of a replica that was never listed fail',
    { ...both, calls: calls(9, { replica: 'c-7', ...failing }) },
    /9 of 9 calls failed, .*which build handled them is not known/,
  ],
  [
    'calls succeed, although no replica is listed',
    { calls: calls(3), hides: ['containers'] },
    /which build handled 3 calls is not known/,
  ],
  ['the platform lists neither replicas nor calls', { hides: ['containers', 'runs'] }, /its replicas are not listed/],
  ['calls are refused', { hides: ['runs', 'chart'] }, /calls of it are not known \(not allowed \(403\)\)/],
  ['the platform does not answer any more', { isDownFrom: 60_000 }, /did not answer/],
  ['half of two calls failed', { calls: told(calls(1), calls(1, failing)) }, /too few calls/],
  [
    'most calls fail, as they did before',
    { ...both, calls: told(calls(9, failing), earlier(40, failing)) },
    /9 of 9 calls failed, 40 of 40 before: no better than before/,
  ],
  [
    'callers that were understood before',
    { ...both, calls: told(calls(9, refused), earlier(300)) },
    /9 of 9 calls failed, 0 of 300 before: those that it refused/,
  ],
  [
    'callers of a function that has answered before',
    { ...both, calls: told(calls(9, { ...missing, ...run }), earlier(300, run)) },
    /9 of 9 calls failed, 0 of 300 before: those that it refused/,
  ],
  [
    'only the build before was called',
    { replicas: both.replicas.slice(1), calls: calls(9, { replica: 'c-0' }) },
    /no replica and no call/,
  ],
  ['the platform says that the app is in error', { status: 'error' }, /app is error/],
  ['the app is being deleted', { status: 'deleting' }, /app is deleting/],
  ['all calls were there before', { calls: earlier(40), hides: ['containers'] }, /its replicas are not listed/],
];

/** Another build serves after a minute. */
const later: Pick<World, 'served'> = {
  served: [
    [-1, 'b-2'],
    [60_000, 'b-3'],
  ],
};
const superseded: [string, Partial<World>, RegExp][] = [
  ['another build goes live', later, /^build b-3 serves now$/],
  [
    'its replicas end for the next one',
    { ...later, replicas: [life('c-1', { endsAt: 62_000 })], minReplicas: 1 },
    /^build b-3 serves now$/,
  ],
  ['nothing else was seen', { ...later, ...none }, /^build b-3 serves now$/],
];

describe.each(Object.entries({ healthy, sick, unknown, superseded }))('%s', (verdict, cases) => {
  test.each<[string, Partial<World>, RegExp?]>(cases)('%s', async (_, world, reason = /^$/) => {
    const watched = await watch(world);
    expect(watched).toMatchObject({ verdict, reason: expect.stringMatching(reason) });
    if (verdict === 'superseded') expect(watched.watchedMs).toBeLessThanOrEqual(70_000);
  });
});

test('a call that we made ourselves proves it, and hides no crash, which is known before the watch ends', async () => {
  expect(await watch(none, true)).toMatchObject({ verdict: 'healthy' });
  const { watchedMs, verdict } = await watch({ replicas: [life('c-1', { restarts: [10_000, 20_000] })] }, true);
  expect(verdict).toBe('sick');
  expect(watchedMs).toBeLessThan(30_000);
});

describe('replicas with short lives, one after the other', () => {
  /** Each lives for 3 s, long before the cooldown, and the next one comes a moment later. */
  const lives = (endsAs: string) =>
    Array.from({ length: 60 }, (_, at) =>
      life(`c-${at}`, { startsAt: at * 4_000, readyAt: at * 4_000, endsAt: at * 4_000 + 3_000, endsAs }),
    );
  const callsOf = (status: string) =>
    Array.from({ length: 60 }, (_, at) => ({
      id: `r-${at}`,
      replica: `c-${at}`,
      startsAt: at * 4_000 + 500,
      endsAt: at * 4_000 + 600,
      status,
    }));

  test.each([
    ['whose calls have succeeded', 'gone', 'success', 0, 'healthy'],
    ['that ended by themselves, after calls that succeeded', 'SUCCEEDED', 'success', 0, 'healthy'],
    ['that are to be kept, and whose calls have succeeded', 'gone', 'success', 1, 'unknown'],
    ['that have handled no call', 'gone', undefined, 0, 'sick'],
    ['that are to be kept, and have handled no call', 'gone', undefined, 1, 'sick'],
    ['whose calls fail', 'gone', 'failure', 0, 'sick'],
    ['that failed after calls that succeeded', 'FAILED', 'success', 0, 'sick'],
  ])('%s', async (_, endsAs, status, minReplicas, verdict) => {
    const calls = status === undefined ? [] : callsOf(status);
    expect(await watch({ replicas: lives(endsAs), calls, minReplicas })).toMatchObject({ verdict });
  });
});

const time = (max = watchMs) => fc.integer({ min: 0, max });

/** Replicas that come and go with the traffic: none is scaled down before its cooldown. */
const visitor = fc.record({
  startsAt: time(),
  startMs: time(40_000),
  livesMs: fc.integer({ min: 34_000, max: watchMs }),
  restart: fc.option(time()),
  endsAs: fc.constantFrom('SUCCEEDED', 'gone'),
});

const traffic = fc.record({
  at: time(),
  ms: time(30_000),
  of: fc.nat(),
  status: fc.constantFrom('success', 'success', 'cancelled'),
});

const goodWorld: fc.Arbitrary<Partial<World>> = fc
  .record({
    visitors: fc.array(visitor, { maxLength: 12 }),
    traffic: fc.array(traffic, { maxLength: 40 }),
    minReplicas: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ visitors, traffic: made, minReplicas }) => {
    const kept = Array.from({ length: Math.max(1, minReplicas) }, (_, at) => life(`c-kept-${at}`, { readyAt: 20_000 }));
    const others = visitors.map(({ startsAt, startMs, livesMs, restart, endsAs }, at) => {
      const readyAt = startsAt + startMs;
      return life(`c-${at}`, {
        startsAt,
        readyAt,
        endsAt: readyAt + livesMs,
        restarts: restart === null ? [] : [readyAt + restart],
        endsAs,
      });
    });
    const replicas = [...kept, ...others];
    const runs = made.map(({ at, ms, of, status }, index) => {
      const replica = replicas[of % replicas.length]?.id ?? '';
      return { id: `r-${index}`, replica, startsAt: at, endsAt: at + ms, status };
    });
    return { replicas, calls: runs, minReplicas };
  });

test('a hundred good deploys raise no alarm, whatever their traffic and single restarts', async () => {
  await fc.assert(
    fc.asyncProperty(goodWorld, async (world) => {
      expect(await watch(world)).toMatchObject({ verdict: 'healthy' });
    }),
    { numRuns: 100, seed: 20 },
  );
});

const crashes: Record<string, fc.Arbitrary<Life[]>> = {
  'restarts in place every few seconds': fc
    .integer({ min: 5_000, max: 40_000 })
    .map((everyMs) => [life('c-bad', { restarts: [everyMs, 2 * everyMs] })]),
  'crashes and stays down': time(100_000).map((endsAt) => [life('c-bad', { endsAt, endsAs: 'FAILED' })]),
  'dies young under ever new names': fc
    .integer({ min: 5_000, max: 24_000 })
    .map((ms) =>
      Array.from({ length: 24 }, (_, at) =>
        life(`c-bad-${at}`, { startsAt: at * ms, readyAt: at * ms + 1_000, endsAt: (at + 1) * ms - 100 }),
      ),
    ),
};

test.each(Object.entries(crashes))('a replica that %s is found in any traffic', async (_, crash) => {
  await fc.assert(
    fc.asyncProperty(goodWorld, crash, async (world, bad) => {
      const { verdict, reason } = await watch({ ...world, replicas: [...(world.replicas ?? []), ...bad] });
      expect({ verdict, reason }).toEqual({ verdict: 'sick', reason: expect.stringMatching(/^replica c-/) });
    }),
    { numRuns: 50, seed: 21 },
  );
});
