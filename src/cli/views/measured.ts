import type { ChartReport, Panel } from '../../kernel/output/chart/model.ts';
import { forPeople } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Cell, type Columns, table } from '../../kernel/output/table.ts';
import { localMinute, localTimeZone } from '../../kernel/wall-clock.ts';
import { type ChartRange, chartView, pointsOfTime, rangeText } from './timeline.ts';

/** What replicas were measured at: charts with the same times. */
export interface Measured {
  summary: string;
  /** In ms since 1970; NaN for one that is not known. */
  times: readonly number[];
  charts: readonly MeasuredChart[];
}

interface MeasuredChart extends Pick<Panel, 'title' | 'unit'> {
  /** What the titles of its columns begin with. */
  column: string;
  cell: (value: number) => Cell;
  /** A value for each time. */
  series: readonly { name: string; values: readonly (number | null)[] }[];
}

/** A time, and which one it is. */
interface MeasuredPoint {
  time: number;
  at: number;
}

/** Charts of what was measured, followed by a table; off a terminal the points as tab-separated numbers. */
export function measuredView(measured: Measured, range: ChartRange): View {
  const report = measuredReport(measured, range);
  const { rows } = report;
  const withValues = measured.charts.filter(hasValue);
  const fitting: View = (page) => {
    const isNarrow = page.columns < fullTableColumns && withValues.length > 1;
    return table(rows, ['TIME'], columnsOf(withValues, isNarrow ? -1 : 0))(page);
  };
  return chartView(report, rows.length > 0, fitting, table(rows, [], columnsOf(measured.charts)));
}

export function measuredReport({ summary, times, charts }: Measured, range: ChartRange): ChartReport<MeasuredPoint> {
  const points = times.map((time, at) => ({ time, at })).filter(({ time }) => !Number.isNaN(time));
  const steps = pointsOfTime(points, ({ time }) => time, range);
  const withValues = charts.filter(hasValue);
  return {
    summary: [summary, rangeText(range)].filter(Boolean),
    chart: {
      step: 'point',
      zone: localTimeZone(),
      times: steps.map(({ time }) => time),
      panels: withValues.map(({ title, unit, series }) => ({
        title,
        kind: 'lines',
        unit,
        series: series.map(({ name, values }) => ({
          name,
          values: steps.map(({ entry }) => (entry && values[entry.at]) ?? null),
        })),
      })),
    },
    rows: points
      .filter(({ at }) => withValues.some(({ series }) => series.some(({ values }) => typeof values[at] === 'number')))
      .sort((a, b) => b.time - a.time),
    columns: columnsOf(withValues),
  };
}

/** An app without a GPU has no panel for it. */
function hasValue({ series }: MeasuredChart): boolean {
  return series.some(({ values }) => values.some((value) => value !== null));
}

const fullTableColumns = 106;

/** `from`: the first series of each chart that has a column. */
function columnsOf(charts: readonly MeasuredChart[], from = 0): Columns<MeasuredPoint> {
  const columns = charts.flatMap(({ column, cell, series }) =>
    series.slice(from).map(({ name, values }) => {
      const title = series.length === 1 ? column : `${column} ${name.toUpperCase()}`.trim();
      const read = ({ at }: MeasuredPoint) => {
        const value = values[at] ?? null;
        return value === null ? value : cell(value);
      };
      return [title, read] as const;
    }),
  );
  return {
    TIME: ({ time }) => forPeople(localMinute(time), new Date(time).toISOString()),
    ...Object.fromEntries(columns),
  };
}
