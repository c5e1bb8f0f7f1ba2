import { expect, test } from 'vitest';
import { RateLimit } from '../../../src/storage/transfer/transfer-context.ts';

test('waits for the rate, in order', async () => {
  const waits: number[] = [];
  const rate = new RateLimit(1_000, { elapsed: () => 1_000, delay: async (ms) => void waits.push(ms) });
  const { signal } = new AbortController();
  for (const bytes of [100, 500, 500]) await rate.wait(bytes, signal);
  expect(waits).toEqual([500, 1_000]);
});

test('does not save up unused rate for long', async () => {
  let now = 0;
  let slept = 0;
  const delay = async (ms: number) => {
    now += ms;
    slept += ms;
  };
  const rate = new RateLimit(1_000, { elapsed: () => now, delay });
  const { signal } = new AbortController();
  for (let piece = 0; piece < 100; piece++) await rate.wait(100, signal);
  expect(slept).toBe(10_000);
  now += 60_000;
  for (let piece = 0; piece < 10; piece++) await rate.wait(100, signal);
  expect(slept).toBe(10_900);
});

test('many small amounts take as long as a few large ones', async () => {
  let last = 0;
  const delay = async (ms: number) => {
    last = ms;
  };
  const rate = new RateLimit(2 ** 30, { elapsed: () => Date.UTC(2026, 0), delay });
  const { signal } = new AbortController();
  // A quarter of a second's worth.
  for (let piece = 0; piece < 2 ** 18; piece++) await rate.wait(1_024, signal);
  expect(last).toBeCloseTo(150, 2);
});
