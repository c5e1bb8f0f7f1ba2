import { describe, expect, test } from 'vitest';
import { startupReport } from '../../../src/cli/views/startup-times.ts';
import type { StartupTimes } from '../../../src/platform/contract/metrics.ts';

const noon = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;
const options = { range: { since: noon, until: noon + 4 * hour }, zone: 'UTC' };

/** A point of the series: hours after noon, seconds. */
const point = (hours: number, p50: number | null, more: object = {}) => ({
  timestamp: (noon + hours * hour) / 1000,
  p50,
  ...more,
});
const reply = (points: object[], runs?: number) =>
  ({ status: 'ok', data: { time_series: points, total_runs: runs } }) as unknown as StartupTimes;

describe('start-up times', () => {
  test('leave out points without any value, and keep those with one', () => {
    const points = [point(0, null), point(1, null, { p99: 0 }), point(2, 1)];
    expect(startupReport(reply(points), options).rows.map(({ timestamp }) => timestamp * 1000 - noon)).toEqual([
      2 * hour,
      hour,
    ]);
  });

  test('are drawn in ms, with gaps as wide as points are usually apart', () => {
    const { chart } = startupReport(reply([point(0, 1), point(0.5, 2), point(1, 3), point(3, 4)]), options);
    expect(chart.times.map((time) => (time - noon) / hour)).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]);
    expect(chart.panels[0]?.series[0]?.values).toEqual([1000, 2000, 3000, null, null, null, 4000, null]);
    expect(chart.panels[0]?.series.map(({ name }) => name)).toEqual(['p50', 'p90', 'p99']);
  });

  test('of a single point are one step of the whole range', () => {
    const { chart } = startupReport(reply([point(0, 1)]), options);
    expect(chart.times).toEqual([noon]);
  });

  test('with two points at the same time have no step of zero', () => {
    const { chart } = startupReport(reply([point(0, 1), point(0, 2), point(2, 3)]), options);
    expect(chart.times.map((time) => (time - noon) / hour)).toEqual([0, 0, 2]);
  });

  test('start with the number of runs, if it is known, and the range', () => {
    expect(startupReport(reply([], 1200), options).summary).toEqual(['1,200 runs', expect.stringContaining('UTC')]);
    expect(startupReport(reply([], 0), options).summary[0]).toBe('0 runs');
    expect(startupReport(reply([]), options).summary).toHaveLength(1);
  });
});
