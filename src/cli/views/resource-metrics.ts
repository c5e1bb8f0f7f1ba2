import type { Chart, ChartReport, Panel } from '../../kernel/output/chart/model.ts';
import { renderChart } from '../../kernel/output/chart/render.ts';
import { amountText, maximum, valueText } from '../../kernel/output/chart/value-axis.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { formatWallClock } from '../../kernel/output/time-zone.ts';
import { wallClock } from '../../kernel/wall-clock.ts';
import type { ResourceChart, ResourceMetrics } from '../../platform/contract/metrics.ts';
import { unixTime } from '../../platform/contract/scalars.ts';
import { type ChartRange, createTimeline, medianDistance, rangeText } from './timeline.ts';

export const resourceMetrics = ['cpu', 'memory', 'gpu'] as const;
export type ResourceMetric = (typeof resourceMetrics)[number];

export interface ResourcesViewOptions {
  range: ChartRange;
  /** IANA name. */
  zone: string;
  metrics: readonly ResourceMetric[];
}

const resources = {
  cpu: { title: 'CPU', column: 'CPU', unit: 'cores' },
  memory: { title: 'memory', column: 'MEM', unit: 'GB' },
  gpu: { title: 'GPU memory', column: 'GPU', unit: 'GB' },
} as const;

/** The values of all series at one time, by metric. */
export interface ResourcePoint extends Record<ResourceMetric, readonly (number | null)[]> {
  /** In ms since the epoch. */
  time: number;
}

/** Charts of what replicas used, followed by a table; off a terminal the points as tab-separated numbers. */
export function resourcesView(reply: ResourceMetrics, options: ResourcesViewOptions): View {
  const { summary, chart, rows } = resourcesReport(reply, options);
  const headline = wrapped(() => summary.join('\n'));
  const rowsView: View = (page) => {
    const columns = pointColumns(reply, options, page.columns < fullTableColumns ? 'highest' : 'all');
    return table(rows, columns, { keep: ['TIME'], right: Object.keys(columns).slice(1) })(page);
  };
  const charts = rows.length === 0 ? headline : stackViews(headline, renderChart(chart), rowsView);
  const values = table(rows, pointColumns(reply, { ...options, zone: undefined }, 'all'));
  return (page) => (page.terminal ? charts : values)(page);
}

/** The chart, and the points that have values, newest first. */
export function resourcesReport(reply: ResourceMetrics, options: ResourcesViewOptions): ChartReport<ResourcePoint> {
  const points = readPoints(reply);
  const shown = measuredMetrics(reply, options);
  return {
    summary: [shown.map((metric) => peakText(reply, metric)).join(', '), rangeText(options.range, options.zone)].filter(
      (line) => line !== '',
    ),
    chart: chartOf(reply, points, options),
    rows: points
      .filter((point) => shown.some((metric) => point[metric].some((value) => value !== null)))
      .sort((one, other) => other.time - one.time),
    columns: pointColumns(reply, options, 'all'),
  };
}

/** Of the requested metrics, those with a value: an app without a GPU has no panel for it. */
function measuredMetrics(reply: ResourceMetrics, { metrics }: Pick<ResourcesViewOptions, 'metrics'>): ResourceMetric[] {
  return resourceMetrics.filter((metric) => metrics.includes(metric) && valuesOf(reply[metric]).length > 0);
}

/** `peak CPU 1.2 cores` */
function peakText(reply: ResourceMetrics, metric: ResourceMetric): string {
  const { title, unit } = resources[metric];
  return `peak ${title} ${valueText(maximum(valuesOf(reply[metric])), unit)}`;
}

function valuesOf(chart: ResourceChart | null | undefined): number[] {
  return seriesOf(chart).flatMap(({ data }) => (data ?? []).filter((value) => value !== null));
}

function seriesOf(chart: ResourceChart | null | undefined) {
  return chart?.series ?? [];
}

/** The charts of a reply have the same times. */
function readPoints(reply: ResourceMetrics): ResourcePoint[] {
  const timestamps = resourceMetrics.map((metric) => reply[metric]?.timestamps).find((times) => times?.length) ?? [];
  const valuesAt = (metric: ResourceMetric, index: number) =>
    seriesOf(reply[metric]).map(({ data }) => data?.[index] ?? null);
  return timestamps.flatMap((timestamp, index) => {
    if (timestamp === null) return [];
    const [cpu, memory, gpu] = [valuesAt('cpu', index), valuesAt('memory', index), valuesAt('gpu', index)];
    return [{ time: unixTime(timestamp), cpu, memory, gpu }];
  });
}

function chartOf(reply: ResourceMetrics, points: readonly ResourcePoint[], options: ResourcesViewOptions): Chart {
  const { range, zone } = options;
  const steps = createTimeline(points, {
    range,
    stepMs: medianDistance(
      points.map(({ time }) => time),
      range,
    ),
    spanOf: ({ time }) => ({ start: time }),
  });
  const panelOf = (metric: ResourceMetric): Panel => ({
    title: `${resources[metric].title} in ${resources[metric].unit}`,
    kind: 'lines',
    unit: resources[metric].unit,
    series: seriesOf(reply[metric]).map(({ name }, index) => ({
      name,
      values: steps.map(({ entry }) => entry?.[metric][index] ?? null),
    })),
  });
  return {
    step: 'point',
    zone,
    times: steps.map(({ time }) => time),
    panels: measuredMetrics(reply, options).map(panelOf),
  };
}

const fullTableColumns = 106;

/** Without a zone, for scripts: RFC 3339, all requested metrics, and numbers as the platform sent them. */
function pointColumns(
  reply: ResourceMetrics,
  { zone, metrics }: Pick<ResourcesViewOptions, 'metrics'> & { zone: string | undefined },
  which: 'all' | 'highest',
): Columns<ResourcePoint> {
  const clock = zone === undefined ? undefined : wallClock(zone);
  const shown = clock
    ? measuredMetrics(reply, { metrics })
    : resourceMetrics.filter((metric) => metrics.includes(metric));
  const columnsOf = (metric: ResourceMetric) => {
    const { column, unit } = resources[metric];
    const series = seriesOf(reply[metric]);
    return series
      .map(({ name }, index) => ({
        title: series.length === 1 ? column : `${column} ${name.toUpperCase()}`,
        read: (point: ResourcePoint) => cellOf(point[metric][index] ?? null, clock && unit),
      }))
      .slice(which === 'highest' ? -1 : 0);
  };
  return {
    TIME: ({ time }) => (clock ? formatWallClock(clock(time)) : new Date(time).toISOString()),
    ...Object.fromEntries(shown.flatMap(columnsOf).map(({ title, read }) => [title, read])),
  };
}

/** Cores need no unit, which the summary has: nine columns must fit on a terminal. */
function cellOf(value: number | null, unit: 'cores' | 'GB' | undefined) {
  if (value === null || unit === undefined) return value;
  return unit === 'cores' ? amountText(value) : valueText(value, unit);
}
