import { beforeAll, describe, expect, test } from 'vitest';
import { deployWeb, emulatorForAll, gantry, record, recordMany } from '../support/index.ts';

const clock = { now: Date.UTC(2026, 10, 20, 12) };
const emulator = emulatorForAll({ real: false, now: () => clock.now });

beforeAll(async () => {
  await deployWeb(emulator);
});

/** A call every ten seconds for half an hour from now on: slow ones from the fifth to the fifteenth minute. */
function play(): void {
  clock.now += 86_400_000;
  const from = clock.now;
  emulator.store.runs.clear();
  for (let at = 0; at < 1_800_000; at += 10_000) {
    const isSlow = at >= 300_000 && at < 900_000;
    record(emulator, {
      id: `r-${from + at}`,
      createdAt: from + at,
      runtimeMs: isSlow ? 8_000 : 500,
      statusCode: isSlow && at % 20_000 === 0 ? 500 : 200,
    });
  }
}
const watch = (words: string[]) => gantry(['metrics', 'web', ...words, '--json'], { emulator, clock });

test.each([
  // From the fifth minute on, when the slow calls are most of those that ended.
  ['p90>5s', 5],
  ['p90>5s for 5m', 10],
  ['p99 >= 8s for 1m', 6],
  ['errors>40% for 2m', 7],
  ['p50<=500ms for 3m', 3],
  ['rate>0.08/s', 1],
])('%s', async (condition, minutes) => {
  play();
  const { code, json } = await watch(['--until', condition]);
  const met = json() as { waitedMs: number; heldMs: number; condition: string };
  expect([code, met.condition]).toEqual([0, condition]);
  expect(Math.abs(met.waitedMs / 60_000 - minutes)).toBeLessThan(1.3);
});

test.each([10, 12, 15, 40])('the rate of %i calls a second that begin now is known after a minute', async (rate) => {
  clock.now += 86_400_000;
  emulator.store.runs.clear();
  const from = clock.now;
  recordMany(emulator, { name: 'r', number: 300 * rate, from, to: from + 300_000, runtimeMs: 200 });
  const met = (await watch(['--until', `rate>${0.8 * rate}`])).json() as { waitedMs: number; value: number };
  expect(met.waitedMs).toBeGreaterThan(45_000);
  expect(met.waitedMs).toBeLessThan(64_000);
  expect(met.value).toBeLessThan(1.05 * rate);
});

test('the first of several conditions ends it', async () => {
  play();
  const { json } = await watch(['--until', 'errors>90%', '--until', 'p90>5s for 1m']);
  expect(json()).toMatchObject({ condition: 'p90>5s for 1m', value: 8_000 });
});

test('a condition that does not hold for long enough does not count', async () => {
  play();
  const { code, stderr, json } = await watch(['--until', 'p90>5s for 12m', '--timeout', '29m']);
  expect(code).toBe(8);
  expect(stderr).toContain('web did not meet p90>5s for 12m within 29m');
  expect(stderr).toContain('last seen: p90 500 ms');
  expect(json()).toMatchObject({ error: { details: { conditions: [{ value: 500 }] } } });
});

test('what is not known is no success', async () => {
  clock.now += 86_400_000;
  emulator.store.runs.clear();
  expect(await watch(['--until', 'p90<5s', '--timeout', '2m'])).toExit(8, 'p90 not known: nobody called web');
});

describe.each([
  ['p96>5s', 'figures: p50, p90, p95, p99, errors, queue, cold, replicas, rate'],
  ['p90>5', 'a duration is required'],
  ['errors>5s', 's does not fit'],
  ['p90 > 5s during 5m', 'invalid condition'],
])('"%s"', (condition, why) => {
  test('is refused', async () => {
    expect(await watch(['--until', condition])).toExit(2, why);
  });
});

test('a time limit that no condition can meet is refused', async () => {
  expect(await watch(['--until', 'p90>5s for 5m', '--timeout', '1m'])).toExit(2, '--timeout 10m');
});
