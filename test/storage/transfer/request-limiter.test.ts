import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RequestKind, RequestLimiter } from '../../../src/storage/transfer/request-limiter.ts';

function newPool(concurrency?: number, elapsed = () => 0) {
  return new RequestLimiter({ concurrency, elapsed, trace: () => {} });
}

/** Requests that end when they are told to. */
function requestsOf(pool: RequestLimiter, kind: RequestKind = 'large') {
  const inside: { name: string; end: () => void; fail: () => void }[] = [];
  const run = (name: string, order = 0, of = kind) =>
    pool
      .run(
        { kind: of, order, bytes: 1 },
        () => new Promise<void>((end, fail) => inside.push({ name, end, fail: () => fail(new Error(name)) })),
      )
      .catch(() => {});
  return { inside, run, names: () => inside.map(({ name }) => name) };
}

test('runs the request with the lowest order next', async () => {
  const { inside, run, names } = requestsOf(newPool(1));
  void run('first', 9);
  for (const order of [3, 1, 2, 1]) void run(`order ${order}`, order);
  for (let index = 0; index < 5; index++) {
    inside[index]?.end();
    await setImmediate();
  }
  expect(names()).toEqual(['first', 'order 1', 'order 1', 'order 2', 'order 3']);
});

test('is halved once for simultaneous complaints, never below one, and grows back', async () => {
  let now = 0;
  const pool = newPool(8, () => now);
  const limits: number[] = [];
  for (const at of [0, 10, 999, 1_000, 2_000, 3_000, 4_000]) {
    now = at;
    pool.reduce();
    limits.push(pool.limit('small'));
  }
  expect(limits).toEqual([4, 4, 4, 2, 1, 1, 1]);
  const request = { kind: 'small', order: 0, bytes: 1 } as const;
  for (let round = 0; round < 3; round++) await pool.run(request, async () => {});
  expect(pool.limit('small')).toBe(2);
  for (let round = 0; round < 200; round++) await pool.run(request, async () => {});
  expect(pool.limit('small')).toBe(8);
});

test('small and large requests that wait get every second place each', async () => {
  const { inside, run, names } = requestsOf(newPool(2));
  for (let index = 0; index < 4; index++) void run('large', index, 'large');
  for (let index = 0; index < 4; index++) void run('small', index, 'small');
  for (let index = 0; index < 8; index++) {
    inside[index]?.end();
    await setImmediate();
  }
  expect(names()).toEqual(['large', 'large', 'small', 'large', 'small', 'large', 'small', 'small']);
});

test('without a number, 128 requests are in flight, of which 32 are large', () => {
  const pool = newPool();
  const { run, names } = requestsOf(pool);
  for (let index = 0; index < 200; index++) {
    void run('large', index, 'large');
    void run('small', index, 'small');
  }
  expect(names().filter((name) => name === 'large')).toHaveLength(32);
  expect(names()).toHaveLength(128);
});

test.each([
  ['many small requests, and as many parts as end within seconds', 10e6, undefined, [38, 4]],
  ['one request of any kind', 100e3, undefined, [1, 1]],
  ['as many as the line has without a limit', 1e9, undefined, [128, 32]],
  ['what the flag says, unless storage would close the connections', 10e6, 16, [16, 16]],
  ['less than the flag says', 1e6, 16, [3, 3]],
])('a limit of the rate leaves %s', (_, limitRate, concurrency, expected) => {
  const pool = new RequestLimiter({ concurrency, limitRate, elapsed: () => 0, trace: () => {} });
  const { run, names } = requestsOf(pool);
  expect([pool.limit('small'), pool.limit('large')]).toEqual(expected);
  for (let index = 0; index < 200; index++) void run('part', index, 'large');
  expect(names()).toHaveLength(expected[1] ?? 0);
});

test('whatever happens, no limit is exceeded, no request that waits is passed over for ever, and all end', async () => {
  const scenario = fc.record({
    concurrency: fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
    kinds: fc.array(fc.constantFrom<RequestKind>('small', 'large'), { minLength: 1, maxLength: 100 }),
    /** Which request in flight ends next, how long it took, and how. */
    ends: fc.infiniteStream(
      fc.record({
        at: fc.nat(),
        ms: fc.integer({ min: 1, max: 5_000 }),
        how: fc.constantFrom('ok', 'ok', 'failed', 'overload'),
      }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ concurrency, kinds, ends }) => {
      let now = 0;
      const pool = newPool(concurrency, () => now);
      const inFlight: { kind: RequestKind; end: (ok: boolean) => void }[] = [];
      const starts: RequestKind[] = [];
      const violations: string[] = [];
      let [ended, allAdded] = [0, false];
      const running = (kind: RequestKind) => inFlight.filter((each) => each.kind === kind).length;
      const waits = (kind: RequestKind) => kinds.filter((each) => each === kind).length > startsOf(kind);
      const startsOf = (kind: RequestKind) => starts.filter((each) => each === kind).length;
      const onStart = (kind: RequestKind) => {
        const other = kind === 'small' ? 'large' : 'small';
        const isOthersTurn = allAdded && starts.at(-1) === kind && waits(other);
        if (isOthersTurn && running(other) < pool.limit(other)) violations.push(`${other} was passed over`);
        starts.push(kind);
        if (inFlight.length >= pool.limit('small')) violations.push('too many requests');
        if (kind === 'large' && running('large') >= pool.limit('large')) violations.push('too many large requests');
      };
      for (const [order, kind] of kinds.entries()) {
        const task = () =>
          new Promise<void>((resolve, reject) => {
            onStart(kind);
            inFlight.push({ kind, end: (ok) => (ok ? resolve() : reject(new Error('failed'))) });
          });
        const count = () => ended++;
        pool.run({ kind, order, bytes: 5e6 }, task).then(count, count);
      }
      allAdded = true;
      for (const { at, ms, how } of ends) {
        if (inFlight.length === 0) break;
        now += ms;
        if (how === 'overload') pool.reduce();
        inFlight.splice(at % inFlight.length, 1)[0]?.end(how === 'ok');
        await setImmediate();
      }
      expect(violations).toEqual([]);
      expect(ended).toBe(kinds.length);
      expect(starts).toHaveLength(kinds.length);
    }),
    { numRuns: 30 },
  );
});
