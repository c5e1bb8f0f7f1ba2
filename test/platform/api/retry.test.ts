import { describe, expect, test } from 'vitest';
import { FailedError, UnavailableError } from '../../../src/kernel/errors.ts';
import { parseRetryAfter, type Retry, retryDelayMs, withRetries } from '../../../src/platform/api/retry.ts';

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

describe('a retried call', () => {
  const down = new UnavailableError('down', { retryable: true });

  function trying(failures: unknown[], signal = new AbortController().signal) {
    const told: Retry[] = [];
    let attempts = 0;
    const attempt = async () => {
      attempts++;
      const failure = failures.shift();
      if (failure) throw failure;
      return 'done';
    };
    const options = { signal, delay: async () => {}, onRetry: (retry: Retry) => told.push(retry) };
    const result = withRetries(attempt, (error) => error.facts.retryable === true, options);
    return { result, told, attempts: () => attempts };
  }

  test('ends with the first success, and reports each retry', async () => {
    const { result, told, attempts } = trying([down, down]);
    expect(await result).toBe('done');
    expect(attempts()).toBe(3);
    expect(told.map(({ attempt, tries, reason }) => [attempt, tries, reason])).toEqual([
      [2, 5, down],
      [3, 5, down],
    ]);
  });

  test('fails with the last error after five attempts', async () => {
    const { result, attempts } = trying(Array(9).fill(down));
    await expect(result).rejects.toBe(down);
    expect(attempts()).toBe(5);
  });

  test.each([
    ['a permanent failure', new FailedError('no')],
    ['an unexpected exception', new TypeError('bug')],
    ['a wait longer than a minute', new UnavailableError('later', { retryable: true, retryAfterMs: 61_000 })],
  ])('is not repeated after %s', async (_, failure) => {
    const { result, told } = trying([failure]);
    await expect(result).rejects.toBe(failure);
    expect(told).toEqual([]);
  });

  test('is not repeated after an interrupt', async () => {
    const { result, attempts } = trying([down], AbortSignal.abort());
    await expect(result).rejects.toBe(down);
    expect(attempts()).toBe(1);
  });
});
