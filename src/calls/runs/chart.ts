import { dayMs, hourMs, minuteMs } from '../../kernel/durations.ts';
import { UsageError } from '../../kernel/errors.ts';
import { count, groupDigits } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type BucketSize, getRunsChart, type RunsChart } from '../../platform/contract/runs.ts';
import type { RunQuery } from './search-runs.ts';

interface RunsChartOptions extends Pick<RunQuery, 'app' | 'since' | 'until' | 'filters'> {
  by: BucketSize;
  /** IANA name. */
  zone: string;
}

export const bucketMs: Record<BucketSize, number> = { minute: minuteMs, hour: hourMs, day: dayMs };

/** A week of minutes, besides the one in progress. */
const maxBuckets = 10_080;

/** Chooses buckets so that their number fits into a chart. The minute in progress does not count. */
export function chooseBucketSize(rangeMs: number): BucketSize {
  const pastMs = rangeMs - bucketMs.minute;
  if (pastMs <= 3 * bucketMs.hour) return 'minute';
  return pastMs <= 7 * bucketMs.day ? 'hour' : 'day';
}

/** Reads counts and durations of runs by bucket. Throws UsageError if there would be too many buckets. */
export async function readRunsChart(context: Context, options: RunsChartOptions): Promise<RunsChart> {
  const { app, since, until, by, zone, filters } = options;
  const buckets = Math.ceil((until - since - bucketMs.minute) / bucketMs[by]);
  if (buckets > maxBuckets) throw tooManyBuckets(buckets, by, until - since);
  const chart = await context.api(getRunsChart, {
    project: context.project,
    app,
    query: {
      startTime: new Date(since).toISOString(),
      endTime: new Date(until).toISOString(),
      aggregate: true,
      groupBy: by,
      timezone: zone,
      ...filters,
    },
  });
  if (!chart.aggregatedData && chart.items?.length) {
    context.progress.warn({
      severity: 'warning',
      message: 'cannot draw a chart: the platform returned single runs, not buckets',
      fix: 'choose more than 24 hours, which always returns buckets: --since 25h',
    });
  } else if (!chart.aggregatedData?.some(({ totalRequests }) => totalRequests)) {
    context.progress.note('no runs match; those of the last seconds may be missing, and --since goes further back');
  }
  return chart;
}

function tooManyBuckets(buckets: number, by: BucketSize, rangeMs: number): UsageError {
  const larger = (['hour', 'day'] as const).find((size) => size !== by && rangeMs / bucketMs[size] <= maxBuckets);
  return new UsageError(`the range is too long: ${count(buckets, by)}`, {
    why: `the maximum is ${groupDigits(maxBuckets)}`,
    fix: larger ? `--by ${larger}, or a shorter range` : 'choose a shorter range',
  });
}
