import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { openEnum, queryFlag, queryNumber, timestamp } from './scalars.ts';

/** The states a run can be asked for by (spec 3). */
export const runStatuses = [
  ...(['pending', 'proxyQueued', 'containerQueued', 'processing'] as const),
  ...(['success', 'failure', 'cancelled'] as const),
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Where a run stands; a word we do not know is "in progress" (wire §0). Runs of `gantry run` also say `failed`, `fail`. */
export function runPhase(status: string): 'in progress' | 'succeeded' | 'failed' {
  if (status === 'success') return 'succeeded';
  return /^(failure|failed|fail|cancelled)$/i.test(status) ? 'failed' : 'in progress';
}

const text = v.optional(v.nullable(v.string()));
const number = v.optional(v.nullable(v.number()));
const time = v.optional(timestamp);

/** One call of an app. The chart endpoint gives the first group (spec 2.6), the others add the rest (wire §1b). Times in ms. */
export const Run = v.looseObject({
  id: v.string(),
  projectId: text,
  modelId: text,
  podName: text,
  coldstartTimeMs: number,
  totalQueueTimeMs: number,
  runtimeMs: number,
  totalResponseTimeMs: number,
  statusCode: number,
  createdAt: time,
  updatedAt: time,

  status: v.optional(v.nullable(openEnum(...runStatuses))),
  async: v.optional(v.nullable(v.boolean())),
  functionName: text,
  method: text,
  region: text,
  containerId: text,
  webhookEndpoint: text,
  websocket: v.optional(v.nullable(v.boolean())),
  completedAt: time,
  containerStartedAt: time,
  executionTimeMs: number,
  queueTimeMs: number,
  responseTimeMs: number,
});
export type Run = v.InferOutput<typeof Run>;

const statistics = { avg: number, p50: number, p90: number, p99: number, min: number, max: number };
type Statistic = keyof typeof statistics;

/** `avgRuntimeMs`, `p50RuntimeMs` and so on: the specification names the statistics, not the fields (spec 2.7). */
function timings<const Measure extends string>(measure: Measure) {
  const fields = Object.keys(statistics).map((statistic) => [`${statistic}${measure}Ms`, number]);
  return assumed(Object.fromEntries(fields) as Record<`${Statistic}${Measure}Ms`, typeof number>);
}

/** What happened in one stretch of time (spec 2.7). Times in ms. */
export const RunBucket = v.looseObject({
  timeGroup: text,
  startTime: time,
  endTime: time,
  totalRequests: number,
  successfulRequests: number,
  failedRequests: number,
  cancelledRequests: number,
  proxyQueued: number,
  containerQueued: number,
  processing: number,
  successRate: number,
  avgColdstartTimeMs: number,
  avgQueueTimeMs: number,
  ...timings('Runtime'),
  ...timings('ResponseTime'),
});
export type RunBucket = v.InferOutput<typeof RunBucket>;

/** Sizes of a bucket (spec 4.6). */
export const bucketSizes = ['minute', 'hour', 'day'] as const;
export type BucketSize = (typeof bucketSizes)[number];

/** Single runs, or buckets: buckets when asked for, and for any range over 24 hours (spec 2.8, 4.6). */
export const RunsChart = v.looseObject({
  aggregatedData: v.optional(v.nullable(v.array(RunBucket))),
  groupBy: text,
  timeRange: text,
  items: v.optional(v.nullable(v.array(Run))),
  nextToken: text,
  total: number,
});
export type RunsChart = v.InferOutput<typeof RunsChart>;

/** The names are not documented, their meanings are (spec 4.6, wire §0). Milliseconds; times in RFC 3339. */
const RunsQuery = assumed(
  v.object({
    startTime: v.optional(v.string()),
    endTime: v.optional(v.string()),
    limit: v.optional(queryNumber(1)),
    offset: v.optional(queryNumber(0)),
    status: v.optional(v.picklist(runStatuses)),
    statusCode: v.optional(queryNumber(-1)),
    groupBy: v.optional(v.picklist(bucketSizes)),
    aggregate: v.optional(queryFlag),
    minStartupTime: v.optional(queryNumber(0)),
    maxStartupTime: v.optional(queryNumber(0)),
    minResponseTime: v.optional(queryNumber(0)),
    maxResponseTime: v.optional(queryNumber(0)),
    timezone: v.optional(v.string()),
  }),
);
export type RunsQuery = v.InferOutput<typeof RunsQuery>;

/** Runs of an app, one by one or in buckets (spec 4.6). */
export const getRunsChart = endpoint('GET /v2/projects/{project}/apps/{app}/runs/charts', {
  query: RunsQuery,
  reply: RunsChart,
});

/** Runs of an app, newest first, with what the chart endpoint leaves out (wire §1b). */
export const listRuns = endpoint('GET /v2/projects/{project}/apps/{app}/runs', {
  query: v.object({ asyncOnly: v.optional(queryFlag), nextToken: assumed(v.optional(v.string())) }),
  reply: v.looseObject({ items: v.nullable(v.array(Run)), nextToken: text }),
});

/** One run (wire §1b). */
export const getRun = endpoint('GET /v2/projects/{project}/apps/{app}/runs/{run}', {
  reply: v.looseObject({ item: Run }),
});

/** Stop a run (wire §1b, observed). */
export const cancelRun = endpoint('DELETE /v2/projects/{project}/apps/{app}/runs/{run}', { reply: 'nothing' });
