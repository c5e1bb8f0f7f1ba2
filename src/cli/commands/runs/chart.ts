import type { Command as Commander } from '@commander-js/extra-typings';
import { bucketMs, chooseBucketSize, readRunsChart } from '../../../calls/runs/index.ts';
import { type Chart, type ChartReport, panelOf } from '../../../kernel/output/chart/model.ts';
import { count, durationCell, forPeople, latestFirst, numberCell } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Cell, type Columns, table } from '../../../kernel/output/table.ts';
import { localMinute, localTimeZone } from '../../../kernel/wall-clock.ts';
import { type BucketSize, bucketSizes, type RunBucket, type RunsChart } from '../../../platform/contract/runs.ts';
import { atPlatformTime } from '../../../platform/replies/index.ts';
import { defineCommand, type FlagsOf } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { chartPageFlag, saveChartPage } from '../../flags/chart-page.ts';
import { rangeFlags, resolveRange, runFilterFlags, runFilters } from '../../flags/list.ts';
import { anything, document, number, passThrough, text } from '../../result-schema.ts';
import { type ChartRange, chartView, createTimeline, rangeText } from '../../views/timeline.ts';

export default defineCommand({
  configure: chartFlags,
  run: async (context, app, flags) => {
    const reply = await atPlatformTime(context, (now) => {
      const { range, by } = chartOptions(flags, now);
      return readRunsChart(context, { app, ...range, by, zone: localTimeZone(), filters: runFilters(flags) });
    });
    const options = chartOptions(flags, context.platformNow());
    await saveChartPage(context, flags, `Runs of ${app}`, () => runsReport(reply, options));
    return reply;
  },
  view: (reply, flags) => (page) => runsChartView(reply, chartOptions(flags, page.now))(page),
  effect: 'reads',
  details: [
    'Runs are calls and jobs of gantry run; gantry cost, metrics and status count calls alone.',
    'Response times: p50, p90 and p99. status has the p95 of the last hour, runs export each time.',
  ],
  json: document(
    passThrough({
      aggregatedData: anything('buckets; platform values, passed through; times in ms'),
      groupBy: text('bucket size'),
      timeRange: anything('the range covered'),
      total: number('number of runs'),
    }),
  ),
  examples: [
    'runs chart web',
    'runs chart web --since 7d --by day',
    'runs chart web --status failure',
    'runs chart web --since 30d --html',
  ],
});

function chartFlags(command: Commander) {
  const size = command.createOption('--by <size>', 'bucket size (default: depends on the range)').choices(bucketSizes);
  return runFilterFlags(rangeFlags(appArgument(command)).addOption(size)).option(...chartPageFlag);
}

type ChartFlags = FlagsOf<typeof chartFlags>;

function chartOptions(flags: ChartFlags, now: number): RunsChartViewOptions {
  const range = resolveRange(flags, now);
  return { range, by: flags.by ?? chooseBucketSize(range.until - range.since) };
}

interface RunsChartViewOptions {
  range: ChartRange;
  by: BucketSize;
}

/** Charts of the runs over time, followed by a table; off a terminal the buckets as tab-separated numbers. */
function runsChartView(reply: RunsChart, options: RunsChartViewOptions): View {
  const report = runsReport(reply, options);
  const { rows } = report;
  const values: View = (page) => {
    const columns = bucketColumns(rows, page.columns < fullTableColumns ? ['p50', 'p99'] : percentiles);
    return table(rows, ['TIME'], columns)(page);
  };
  return chartView(report, total(rows, 'totalRequests') > 0, values);
}

function runsReport(reply: RunsChart, options: RunsChartViewOptions): ChartReport<RunBucket> {
  const buckets = reply.aggregatedData ?? [];
  const failed = total(buckets, 'failedRequests');
  const runs = count(reply.total ?? total(buckets, 'totalRequests'), 'run');
  return {
    summary: [failed > 0 ? `${runs}, ${count(failed, 'failed', 'failed')}` : runs, rangeText(options.range)],
    chart: chartOf(reply, options),
    rows: buckets.toSorted(latestFirst((bucket) => bucket.startTime)),
    columns: bucketColumns(buckets, percentiles),
  };
}

/** Missing buckets become gaps. */
function chartOf({ aggregatedData, groupBy }: RunsChart, { range, by }: RunsChartViewOptions): Chart {
  const step = bucketSizes.find((size) => size === groupBy) ?? by;
  const steps = createTimeline(aggregatedData ?? [], {
    range,
    stepMs: bucketMs[step],
    spanOf: ({ startTime, timeGroup, endTime }) => ({
      start: Date.parse(startTime ?? timeGroup ?? ''),
      ...(endTime && { end: Date.parse(endTime) }),
    }),
  });
  const values = (read: (bucket: RunBucket) => number | null | undefined) =>
    steps.map(({ entry }) => (entry ? (read(entry) ?? null) : null));
  const times = (measure: TimeMeasure) =>
    Object.fromEntries(percentiles.map((name) => [name, values((bucket) => timing(bucket, name, measure))]));
  return {
    step,
    zone: localTimeZone(),
    times: steps.map(({ time }) => time),
    panels: [
      panelOf('runs', 'bars', 'count', {
        runs: values((bucket) => bucket.totalRequests),
        failed: values((bucket) => bucket.failedRequests),
      }),
      panelOf('runtime', 'lines', 'ms', times('Runtime')),
      panelOf('response time', 'lines', 'ms', times('ResponseTime')),
    ],
  };
}

/** Off a terminal, times as the platform returned them and durations in ms. */
function bucketColumns(buckets: readonly RunBucket[], shownPercentiles: readonly Percentile[]): Columns<RunBucket> {
  const times = (title: string, measure: TimeMeasure) =>
    Object.fromEntries(
      shownPercentiles.map((name) => [
        `${title} ${name.toUpperCase()}`,
        (bucket: RunBucket) => durationCell(timing(bucket, name, measure)),
      ]),
    );
  return {
    TIME: ({ startTime, timeGroup = '' }) =>
      forPeople(localMinute(Date.parse(startTime ?? '')) || `${timeGroup}`, startTime ?? timeGroup),
    RUNS: (bucket) => bucket.totalRequests,
    FAILED: (bucket) => bucket.failedRequests,
    ...rateColumn(buckets),
    ...times('RUN', 'Runtime'),
    ...times('RESP', 'ResponseTime'),
  };
}

const fullTableColumns = 106;
const percentiles = ['p50', 'p90', 'p99'] as const;
type Percentile = (typeof percentiles)[number];
type TimeMeasure = 'Runtime' | 'ResponseTime';

function total(buckets: readonly RunBucket[], field: 'totalRequests' | 'failedRequests'): number {
  return buckets.reduce((sum, bucket) => sum + (bucket[field] ?? 0), 0);
}

/** A bucket without runs has no durations, even if the platform returns a number. */
function timing(bucket: RunBucket, name: Percentile, measure: TimeMeasure): number | null {
  return bucket.totalRequests === 0 ? null : (bucket[`${name}${measure}Ms`] ?? null);
}

/** The platform's success rate if it returns one, otherwise the percentage of ended runs that succeeded. */
function rateColumn(buckets: readonly RunBucket[]): Columns<RunBucket> {
  const hasRate = buckets.some(({ successRate }) => typeof successRate === 'number');
  return hasRate ? { 'SUCCESS RATE': ({ successRate }) => successRate } : { 'OK %': successPercent };
}

function successPercent({ successfulRequests, failedRequests }: RunBucket): Cell {
  const succeeded = successfulRequests ?? 0;
  const ended = succeeded + (failedRequests ?? 0);
  return numberCell(ended === 0 ? '' : ((succeeded / ended) * 100).toFixed(1));
}
