import { describe, expect, test } from 'vitest';
import { measuredReport } from '../../../src/cli/views/measured.ts';

const noon = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;
const range = { since: noon, until: noon + 4 * hour };

/** At these hours after noon, values of two series. */
const report = (hours: number[], p50: (number | null)[], p99 = hours.map((): number | null => null), summary = '') => {
  const series = Object.entries({ p50, p99 }).map(([name, values]) => ({ name, values }));
  const chart = { title: 'start-up time', unit: 'ms', column: '', cell: String, series } as const;
  return measuredReport({ summary, times: hours.map((at) => noon + at * hour), charts: [chart] }, range);
};

describe('what was measured', () => {
  test('leaves out points without any value, and keeps those with one', () => {
    const { rows } = report([0, 1, 2], [null, null, 1], [null, 0, null]);
    expect(rows.map(({ time }) => time - noon)).toEqual([2 * hour, hour]);
  });

  test('is drawn with gaps as wide as points are usually apart', () => {
    const { chart } = report([0, 0.5, 1, 3], [1, 2, 3, 4]);
    expect(chart.times.map((time) => (time - noon) / hour)).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]);
    expect(chart.panels[0]?.series[0]?.values).toEqual([1, 2, 3, null, null, null, 4, null]);
    expect(chart.panels[0]?.series.map(({ name }) => name)).toEqual(['p50', 'p99']);
  });

  test('of a single point is one step of the whole range', () => {
    expect(report([0], [1]).chart.times).toEqual([noon]);
  });

  test('with two points at the same time has no step of zero', () => {
    const { chart } = report([0, 0, 2], [1, 2, 3]);
    expect(chart.times.map((time) => (time - noon) / hour)).toEqual([0, 0, 2]);
  });

  test('without any value has no chart', () => {
    expect(report([0], [null]).chart.panels).toEqual([]);
  });

  test('starts with the summary, if there is one, and the range', () => {
    expect(report([], [], [], '1,200 runs').summary).toEqual(['1,200 runs', expect.stringContaining('UTC')]);
    expect(report([], []).summary).toHaveLength(1);
  });
});
