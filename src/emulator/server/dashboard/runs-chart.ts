import type { ChartReport, Panel } from '../../../kernel/output/chart/model.ts';
import type { RunBucket } from '../../../platform/contract/runs.ts';

/** Runs by the hour, as a chart and as a table. */
export function hourlyRuns(buckets: readonly RunBucket[]): ChartReport<RunBucket> {
  const sum = (field: 'totalRequests' | 'failedRequests') => buckets.reduce((all, each) => all + (each[field] ?? 0), 0);
  const requests: Panel = {
    title: 'requests',
    kind: 'bars',
    unit: 'count',
    series: [
      { name: 'requests', values: buckets.map(({ totalRequests }) => totalRequests ?? 0) },
      { name: 'failed', values: buckets.map(({ failedRequests }) => failedRequests ?? 0) },
    ],
  };
  const times = (['Runtime', 'ResponseTime'] as const).filter((measure) =>
    buckets.some((each) => timing(each, 'p50', measure)),
  );
  return {
    summary: [`${sum('totalRequests')} requests in the last 24 hours, ${sum('failedRequests')} failed`],
    chart: {
      times: buckets.map(({ startTime }) => Date.parse(startTime ?? '')),
      step: 'hour',
      zone: 'UTC',
      panels: [requests, ...times.map((measure) => timesPanel(buckets, measure))],
    },
    rows: buckets.toReversed(),
    columns: {
      'TIME (UTC)': ({ startTime }) => startTime?.slice(0, 16).replace('T', ' '),
      REQUESTS: ({ totalRequests }) => totalRequests,
      FAILED: ({ failedRequests }) => failedRequests,
      ...Object.fromEntries(
        times.flatMap((measure) =>
          percentiles.map((name) => [
            `${titles[measure]} ${name}, ms`.toUpperCase(),
            (bucket: RunBucket) => timing(bucket, name, measure),
          ]),
        ),
      ),
    },
  };
}

/** The runs of several apps. Percentiles cannot be added up. */
export function addedRuns(apps: readonly (readonly RunBucket[])[]): RunBucket[] {
  const byStart = new Map<string, RunBucket>();
  for (const { startTime = '', totalRequests, failedRequests } of apps.flat()) {
    const sum = byStart.get(startTime ?? '');
    byStart.set(startTime ?? '', {
      startTime,
      totalRequests: (sum?.totalRequests ?? 0) + (totalRequests ?? 0),
      failedRequests: (sum?.failedRequests ?? 0) + (failedRequests ?? 0),
    } as RunBucket);
  }
  return [...byStart.values()].sort((a, b) => ((a.startTime ?? '') < (b.startTime ?? '') ? -1 : 1));
}

type Measure = 'Runtime' | 'ResponseTime';

const titles = { Runtime: 'runtime', ResponseTime: 'response time' };
const percentiles = ['p50', 'p90', 'p99'] as const;

function timesPanel(buckets: readonly RunBucket[], measure: Measure): Panel {
  const series = percentiles.map((name) => ({ name, values: buckets.map((bucket) => timing(bucket, name, measure)) }));
  return { title: titles[measure], kind: 'lines', unit: 'ms', series };
}

/** An hour without runs has no durations. */
function timing(bucket: RunBucket, name: (typeof percentiles)[number], measure: Measure): number | null {
  return bucket.totalRequests === 0 ? null : (bucket[`${name}${measure}Ms`] ?? null);
}
