import { describe, expect, test } from 'vitest';
import { chooseBucketSize, readRunsChart } from '../../../src/calls/runs/chart.ts';
import { UsageError } from '../../../src/kernel/errors.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

// A range begins at a full minute, up to one earlier than was asked for.
test.each([
  [minute, 'minute'],
  [3 * hour + minute, 'minute'],
  [3 * hour + minute + 1, 'hour'],
  [7 * day + minute, 'hour'],
  [7 * day + minute + 1, 'day'],
])('a chart of %i ms has a bar for each %s', (rangeMs, expected) => {
  expect(chooseBucketSize(rangeMs)).toBe(expected);
});

/** The error of a chart of that range, undefined if it is drawn. */
async function failure(rangeMs: number, by: 'minute' | 'hour' | 'day'): Promise<unknown> {
  const context = { project: 'p-1', api: async () => ({}), progress: { note: () => {}, warn: () => {} } };
  const options = { app: 'a', since: 0, until: rangeMs, by, zone: 'UTC', filters: {} };
  return readRunsChart(context as never, options).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a chart with too many bars', () => {
  test('is refused: more than a week of minutes', async () => {
    expect(await failure(7 * day + minute, 'minute')).toBeUndefined();
    expect(await failure(7 * day + minute + 1, 'minute')).toBeInstanceOf(UsageError);
  });

  test.each<[days: number, by: 'minute' | 'hour' | 'day', fix: RegExp]>([
    [8, 'minute', /--by hour/],
    [500, 'minute', /--by day/],
    [500, 'hour', /--by day/],
    [11_000, 'minute', /^(?!.*--by)/],
    [11_000, 'day', /^(?!.*--by)/],
  ])('of %i days by %s suggests the next size that fits', async (days, by, fix) => {
    const error = (await failure(days * day, by)) as UsageError;
    expect(error.facts.fix).toMatch(fix);
  });
});
