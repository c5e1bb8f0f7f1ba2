import { type BucketSize, bucketSizes, type RunBucket, type RunsChart } from '../contract/runs.ts';
import { bucketMs } from '../operations/runs/index.ts';
import type { Chart, ChartReport, Panel } from '../output/chart/model.ts';
import { renderChart } from '../output/chart/render.ts';
import { count, duration, latestFirst } from '../output/format.ts';
import type { View } from '../output/page.ts';
import { type Columns, stackViews, table } from '../output/table.ts';
import { formatWallClock, wallClock } from '../output/time-zone.ts';
import { type ChartRange, createTimeline, rangeText } from './timeline.ts';

export const runMetrics = ['requests', 'runtime', 'response'] as const;
export type RunMetric = (typeof runMetrics)[number];

/** How the chart was asked for. */
export interface RunsChartViewOptions {
  range: ChartRange;
  by: BucketSize;
  /** IANA name. */
  zone: string;
  metrics: readonly RunMetric[];
}

/** Pictures of the runs over time, and below them the numbers. */
export function runsChartView(reply: RunsChart, wish: RunsChartViewOptions): View {
  const { summary, chart, rows } = runsReport(reply, wish);
  const headline = summary.join('\n');
  if (total(rows, 'totalRequests') === 0) return () => headline;
  return stackViews(headline, renderChart(chart), (page) => {
    const wanted = page.columns < columnsOfAll ? (['p50', 'p99'] as const) : percentiles;
    return table(rows, bucketColumns(rows, wish, wanted), ['TIME'])(page);
  });
}

/** The runs as a chart, and their buckets, the newest first. */
export function runsReport(reply: RunsChart, wish: RunsChartViewOptions): ChartReport<RunBucket> {
  const buckets = reply.aggregatedData ?? [];
  const failed = total(buckets, 'failedRequests');
  const requests = count(reply.total ?? total(buckets, 'totalRequests'), 'request');
  return {
    summary: [
      failed > 0 ? `${requests}, ${count(failed, 'failed', 'failed')}` : requests,
      rangeText(wish.range, wish.zone),
    ],
    chart: chartOf(reply, wish),
    rows: buckets.toSorted(latestFirst((bucket) => bucket.startTime)),
    columns: bucketColumns(buckets, wish, percentiles),
  };
}

/** One value for each bucket, and for each that is missing. */
function chartOf({ aggregatedData, groupBy }: RunsChart, { range, by, zone, metrics }: RunsChartViewOptions): Chart {
  const step = bucketSizes.find((size) => size === groupBy) ?? by;
  const steps = createTimeline(aggregatedData ?? [], {
    ...{ range, stepMs: bucketMs[step] },
    spanOf: ({ startTime, timeGroup, endTime }) => ({
      start: Date.parse(startTime ?? timeGroup ?? ''),
      ...(endTime && { end: Date.parse(endTime) }),
    }),
  });
  const values = (read: (bucket: RunBucket) => number | null | undefined) =>
    steps.map(({ entry }) => (entry ? (read(entry) ?? null) : null));
  const times = (measure: Measure) =>
    percentiles.map((name) => ({ name, values: values((bucket) => timing(bucket, name, measure)) }));
  const panels: Record<RunMetric, Panel> = {
    requests: {
      ...{ title: 'requests', kind: 'bars', unit: 'count' },
      series: [
        { name: 'requests', values: values((bucket) => bucket.totalRequests) },
        { name: 'failed', values: values((bucket) => bucket.failedRequests) },
      ],
    },
    runtime: { title: 'runtime', kind: 'lines', unit: 'ms', series: times('Runtime') },
    response: { title: 'response time', kind: 'lines', unit: 'ms', series: times('ResponseTime') },
  };
  return {
    ...{ step, zone, times: steps.map(({ time }) => time) },
    panels: runMetrics.filter((metric) => metrics.includes(metric)).map((metric) => panels[metric]),
  };
}

/** The numbers of a bucket, as far as they are wanted. */
function bucketColumns(
  buckets: readonly RunBucket[],
  { zone, metrics }: RunsChartViewOptions,
  wanted: readonly Percentile[],
): Columns<RunBucket> {
  const clock = wallClock(zone);
  const times = (title: string, measure: Measure) =>
    Object.fromEntries(
      wanted.map((name) => [
        `${title} ${name.toUpperCase()}`,
        (bucket: RunBucket) => timeText(timing(bucket, name, measure)),
      ]),
    );
  return {
    TIME: ({ startTime, timeGroup }) => formatWallClock(clock(Date.parse(startTime ?? ''))) || timeGroup,
    ...(metrics.includes('requests') && {
      REQUESTS: (bucket) => bucket.totalRequests,
      FAILED: (bucket) => bucket.failedRequests,
      ...rateColumn(buckets),
    }),
    ...(metrics.includes('runtime') && times('RUN', 'Runtime')),
    ...(metrics.includes('response') && times('RESP', 'ResponseTime')),
  };
}

/** What the table with all columns is wide. */
const columnsOfAll = 106;
const percentiles = ['p50', 'p90', 'p99'] as const;
type Percentile = (typeof percentiles)[number];
type Measure = 'Runtime' | 'ResponseTime';

function total(buckets: readonly RunBucket[], field: 'totalRequests' | 'failedRequests'): number {
  return buckets.reduce((sum, bucket) => sum + (bucket[field] ?? 0), 0);
}

/** Without runs there is nothing to measure, whatever number stands there. */
function timing(bucket: RunBucket, name: Percentile, measure: Measure): number | null {
  return bucket.totalRequests === 0 ? null : (bucket[`${name}${measure}Ms`] ?? null);
}

function timeText(ms: number | null): string {
  return ms === null ? '' : duration(ms);
}

/** The platform's rate as it comes. Where it tells none, the share of successful runs in those that ended, in percent. */
function rateColumn(buckets: readonly RunBucket[]): Columns<RunBucket> {
  const isTold = buckets.some(({ successRate }) => typeof successRate === 'number');
  return isTold ? { 'SUCCESS RATE': ({ successRate }) => successRate } : { 'OK %': successShare };
}

function successShare({ successfulRequests, failedRequests }: RunBucket): string {
  const succeeded = successfulRequests ?? 0;
  const ended = succeeded + (failedRequests ?? 0);
  return ended === 0 ? '' : ((succeeded / ended) * 100).toFixed(1);
}
