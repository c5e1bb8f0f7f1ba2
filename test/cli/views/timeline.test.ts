import { describe, expect, test } from 'vitest';
import { createTimeline, rangeText } from '../../../src/cli/views/timeline.ts';

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 20, 12);

/** Hours after noon of each step; those with an entry are marked. */
function steps(starts: number[], until: number, spans: { end?: (start: number) => number; since?: number } = {}) {
  const { end, since = 0 } = spans;
  const timeline = createTimeline(starts, {
    range: { since: noon + since * hour, until: noon + until * hour },
    stepMs: hour,
    spanOf: (start) => ({ start: noon + start * hour, ...(end && { end: noon + end(start) * hour }) }),
  });
  return timeline.map(({ time, entry }) => `${(time - noon) / hour}${entry === undefined ? '' : '*'}`);
}

describe('a chart over time', () => {
  test.each<[what: string, starts: number[], until: number, expected: string[]]>([
    ['shows every measured step', [0, 1, 2], 3, ['0*', '1*', '2*']],
    ['sorts the steps by time', [2, 0, 1], 3, ['0*', '1*', '2*']],
    ['shows a gap before the first one', [2], 3, ['0', '1', '2*']],
    ['shows a gap between two', [0, 3], 4, ['0*', '1', '2', '3*']],
    ['shows a gap up to the end of the range', [0], 3, ['0*', '1', '2']],
    ['shows only gaps if nothing was measured', [], 2, ['0', '1']],
    ['leaves out a time that is not a number', [Number.NaN, 1], 2, ['0', '1*']],
    ['ignores a gap of less than half a step', [0, 1.4], 2, ['0*', '1.4*']],
    ['keeps a gap of half a step', [0, 1.5], 2, ['0*', '0.5', '1.5*']],
    ['keeps entries outside of the range', [-1, 5], 1, ['-1*', '0', '1', '2', '3', '4', '5*']],
  ])('%s', (_, starts, until, expected) => {
    expect(steps(starts, until)).toEqual(expected);
  });

  test('continues where a step ends, not where the next should begin: days have 23 or 25 hours', () => {
    expect(steps([0, 2], 4, { end: (start) => start + 2 })).toEqual(['0*', '2*']);
  });

  test('fills a gap of 20,000 steps, and none that is longer', () => {
    expect(steps([20_000], 20_001)).toHaveLength(20_001);
    expect(steps([20_001], 20_002)).toEqual(['20001*']);
  });
});

test('a range is printed in local time', () => {
  const range = { since: noon, until: noon + 13 * hour };
  expect(rangeText(range)).toBe('2026-11-20 12:00 to 2026-11-21 01:00, UTC');
});
