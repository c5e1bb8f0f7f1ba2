import type { Context } from '../../context.ts';
import { type BucketSize, getRunsChart, type RunsChart } from '../../contract/runs.ts';
import { UsageError } from '../../errors.ts';
import { count, groupDigits } from '../../output/format.ts';
import type { RunFilters } from './run-search.ts';

export interface RunsChartOptions {
  app: string;
  /** Milliseconds since 1970. */
  since: number;
  until: number;
  by: BucketSize;
  /** IANA name. */
  zone: string;
  filters: RunFilters;
}

/** In milliseconds. */
export const bucketMs: Record<BucketSize, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** A week of minutes, a year of hours: more is nothing to look at. */
const mostBuckets = 10_080;

/** Buckets that suit a range: no more of them than a picture can show. */
export function chooseBucketSize(rangeMs: number): BucketSize {
  if (rangeMs <= 3 * bucketMs.hour) return 'minute';
  return rangeMs <= 7 * bucketMs.day ? 'hour' : 'day';
}

/** Counts and times of runs, bucket by bucket. Throws UsageError when there would be too many buckets. */
export async function readRunsChart(context: Context, wanted: RunsChartOptions): Promise<RunsChart> {
  const { app, since, until, by, zone, filters } = wanted;
  const buckets = Math.ceil((until - since) / bucketMs[by]);
  if (buckets > mostBuckets) throw tooMany(buckets, by, until - since);
  const chart = await context.api(getRunsChart, {
    ...{ project: context.project, app },
    query: {
      ...{ startTime: new Date(since).toISOString(), endTime: new Date(until).toISOString() },
      ...{ aggregate: true, groupBy: by, timezone: zone, ...filters },
    },
  });
  if (!chart.aggregatedData && chart.items?.length) {
    context.progress.warn({
      severity: 'warning',
      message: 'the platform answered with single runs, not with buckets: there is nothing to draw',
      fix: 'a range over 24 hours is always in buckets: --since 25h',
    });
  } else if (!chart.aggregatedData?.some(({ totalRequests }) => totalRequests)) {
    context.progress.note('no such runs in this time; --since looks further back');
  }
  return chart;
}

function tooMany(buckets: number, by: BucketSize, rangeMs: number): UsageError {
  const larger = (['hour', 'day'] as const).find((size) => size !== by && rangeMs / bucketMs[size] <= mostBuckets);
  return new UsageError(`the range has ${count(buckets, by)}`, {
    why: `there is room for ${groupDigits(mostBuckets)}`,
    fix: larger ? `--by ${larger}, or a shorter range` : 'choose a shorter range',
  });
}
