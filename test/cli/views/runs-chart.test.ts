import { describe, expect, test } from 'vitest';
import { runMetrics, runsChartView, runsReport } from '../../../src/cli/views/runs-chart.ts';
import type { RunsChart } from '../../../src/platform/contract/runs.ts';
import { plainPage } from '../../support/page.ts';

const noon = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;
const options = {
  range: { since: noon, until: noon + 3 * hour },
  by: 'hour' as const,
  zone: 'UTC',
  metrics: runMetrics,
};

/** An hour after noon, with that many runs. */
const bucket = (hours: number, totalRequests: number, more: object = {}) => ({
  startTime: new Date(noon + hours * hour).toISOString(),
  totalRequests,
  ...more,
});
const reply = (buckets: object[], more: object = {}) => ({ aggregatedData: buckets, ...more }) as unknown as RunsChart;
const cells = (buckets: object[], column: string) => {
  const { rows, columns } = runsReport(reply(buckets), options);
  return rows.map((row) => {
    const cell = columns[column]?.(row) ?? '';
    return typeof cell === 'function' ? cell(plainPage()) : cell;
  });
};

describe('a chart of runs', () => {
  test('begins with the number of runs and of failures', () => {
    const summary = (buckets: object[], more?: object) => runsReport(reply(buckets, more), options).summary[0];
    expect(summary([bucket(0, 3, { failedRequests: 1 }), bucket(1, 4)])).toBe('7 runs, 1 failed');
    expect(summary([bucket(0, 1, { failedRequests: 0 })])).toBe('1 run');
    expect(summary([bucket(0, 1)], { total: 9 })).toBe('9 runs');
  });

  test('lists the newest first', () => {
    expect(cells([bucket(0, 1), bucket(2, 3), bucket(1, 2)], 'RUNS')).toEqual([3, 2, 1]);
    expect(cells([bucket(0, 1)], 'TIME')).toEqual(['2026-11-20 12:00']);
  });

  test('shows the success rate of the platform, or else the part of ended runs that succeeded', () => {
    expect(cells([bucket(0, 4, { successRate: 50 })], 'SUCCESS RATE')).toEqual([50]);
    const counted = [
      bucket(0, 5, { successfulRequests: 2, failedRequests: 1 }),
      bucket(-1, 5, { successfulRequests: 0, failedRequests: 0 }),
      bucket(-2, 5, { successfulRequests: 2 }),
    ];
    expect(cells(counted, 'OK %')).toEqual(['66.7', '', '100.0']);
  });

  test('shows no duration where nothing ran', () => {
    const times = { p50RuntimeMs: 1500, p50ResponseTimeMs: 20 };
    expect(cells([bucket(1, 0, times), bucket(0, 2, times)], 'RUN P50')).toEqual(['', '1.5 s']);
    expect(cells([bucket(0, 2, times)], 'RESP P50')).toEqual(['20 ms']);
    expect(cells([bucket(0, 2)], 'RUN P50')).toEqual(['']);
  });

  test('has gaps where the platform returned nothing', () => {
    const { chart } = runsReport(reply([bucket(1, 5)]), options);
    expect(chart.times.map((time) => (time - noon) / hour)).toEqual([0, 1, 2]);
    expect(chart.panels[0]?.series[0]?.values).toEqual([null, 5, null]);
    expect(chart.panels[0]?.series[1]?.values).toEqual([null, null, null]);
  });

  test('is drawn in the steps that the platform returned', () => {
    expect(runsReport(reply([bucket(0, 1)], { groupBy: 'day' }), options).chart.step).toBe('day');
    expect(runsReport(reply([bucket(0, 1)], { groupBy: 'week' }), options).chart.step).toBe('hour');
  });

  test('has the panels and columns that were asked for, in one order', () => {
    const report = (metrics: (typeof runMetrics)[number][]) =>
      runsReport(reply([bucket(0, 1)]), { ...options, metrics });
    expect(report(['response', 'runs']).chart.panels.map(({ title }) => title)).toEqual(['runs', 'response time']);
    expect(Object.keys(report(['runtime']).columns)).toEqual(['TIME', 'RUN P50', 'RUN P90', 'RUN P99']);
  });

  test('without runs is a single line', () => {
    const text = runsChartView(reply([bucket(0, 0)]), options)(plainPage());
    expect(text.split('\n')).toEqual(['0 runs', expect.stringContaining('UTC')]);
  });

  test('drops p90 from its table on a terminal that is too narrow for all columns', () => {
    const header = (columns: number) =>
      runsChartView(reply([bucket(0, 1, { p90RuntimeMs: 1 })]), options)(plainPage({ columns }));
    expect(header(106)).toContain('RUN P90');
    expect(header(105)).not.toContain('RUN P90');
  });
});
