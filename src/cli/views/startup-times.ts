import type { Chart, ChartReport } from '../../kernel/output/chart/model.ts';
import { count, durationCell } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, table } from '../../kernel/output/table.ts';
import { formatWallClock, wallClock } from '../../kernel/wall-clock.ts';
import type { StartupTimes } from '../../platform/contract/metrics.ts';
import { type ChartRange, chartView, pointsOfTime, rangeText } from './timeline.ts';

export interface StartupViewOptions {
  range: ChartRange;
  zone: string;
}

type StartupPoint = NonNullable<NonNullable<StartupTimes['data']>['time_series']>[number];

/** A chart of start-up times, followed by a table; off a terminal the points as tab-separated numbers. */
export function startupView(reply: StartupTimes, options: StartupViewOptions): View {
  const report = startupReport(reply, options);
  const { rows, columns } = report;
  return chartView(report, rows.length > 0, table(rows, columns, { keep: ['TIME'], right: ['P50', 'P90', 'P99'] }));
}

export function startupReport({ data }: StartupTimes, options: StartupViewOptions): ChartReport<StartupPoint> {
  const points = data?.time_series ?? [];
  const runs = data?.total_runs;
  return {
    summary: [...(typeof runs === 'number' ? [count(runs, 'run')] : []), rangeText(options.range, options.zone)],
    chart: chartOf(points, options),
    rows: points
      .filter((point) => percentiles.some((name) => typeof point[name] === 'number'))
      .sort((one, other) => other.timestamp - one.timestamp),
    columns: pointColumns(options.zone),
  };
}

const percentiles = ['p50', 'p90', 'p99'] as const;

function chartOf(points: readonly StartupPoint[], { range, zone }: StartupViewOptions): Chart {
  const steps = pointsOfTime(points, ({ timestamp }) => timestamp * 1000, range);
  const series = percentiles.map((name) => ({ name, values: steps.map(({ entry }) => milliseconds(entry?.[name])) }));
  return {
    step: 'point',
    zone,
    times: steps.map(({ time }) => time),
    panels: [{ title: 'start-up time', kind: 'lines', unit: 'ms', series }],
  };
}

/** Off a terminal RFC 3339 and ms. */
function pointColumns(zone: string): Columns<StartupPoint> {
  const clock = wallClock(zone);
  return {
    TIME:
      ({ timestamp }) =>
      ({ terminal }) =>
        terminal ? formatWallClock(clock(timestamp * 1000)) : new Date(timestamp * 1000).toISOString(),
    P50: ({ p50 }) => durationCell(milliseconds(p50)),
    P90: ({ p90 }) => durationCell(milliseconds(p90)),
    P99: ({ p99 }) => durationCell(milliseconds(p99)),
  };
}

function milliseconds(seconds: number | null | undefined): number | null {
  return typeof seconds === 'number' ? Math.round(seconds * 1000) : null;
}
