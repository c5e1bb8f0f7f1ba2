import { describe, expect, test } from 'vitest';
import { parseRetryAfter, retryDelayMs } from '../../../src/platform/api/retry.ts';

describe('the delay before an attempt', () => {
  test.each([
    [2, 500],
    [3, 1_000],
    [4, 2_000],
    [5, 4_000],
    [6, 8_000],
    [7, 8_000],
    [20, 8_000],
  ])('number %i is random, and at most %i ms', (attempt, most) => {
    expect(retryDelayMs(attempt, undefined, () => 1)).toBe(most);
    expect(retryDelayMs(attempt, undefined, () => 0.5)).toBe(most / 2);
    expect(retryDelayMs(attempt, undefined, () => 0)).toBe(0);
  });

  test.each([
    [0, 0],
    [2_000, 2_000],
    [60_000, 60_000],
    [60_001, undefined],
    [3_600_000, undefined],
  ])('is what the server asks for (%i ms), up to a minute', (asked, wait) => {
    expect(retryDelayMs(2, asked, () => 1)).toBe(wait);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 20, 9, 30);

  test.each([
    ['2', 2_000],
    ['0', 0],
    [' 120 ', 120_000],
    ['Fri, 20 Nov 2026 09:30:05 GMT', 5_000],
    ['Fri, 20 Nov 2026 09:29:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is %j ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });
});
