import * as v from 'valibot';
import { words } from '../../kernel/words.ts';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, optionalList, replyObject } from './lists.ts';
import { described, maybe, optionalEnum, queryBoolean, queryNumber, textOrEmpty } from './scalars.ts';

/** Statuses that runs can be filtered by (spec 3). */
export const runStatuses = words('pending proxyQueued containerQueued processing', 'success failure cancelled');
export type RunStatus = (typeof runStatuses)[number];

/**
 * One call of an app. The first group of fields is from the chart endpoint (spec 2.6), the rest from the run list
 * (docs/platform.md#runs). Times are in ms.
 */
export const Run = objectOf({
  id: described(textOrEmpty, 'run id'),
  projectId: described(maybe.text, 'project'),
  modelId: described(maybe.text, 'app id'),
  podName: maybe.text,
  coldstartTimeMs: described(maybe.amount, 'cold start, in ms'),
  totalQueueTimeMs: described(maybe.amount, 'time in the queue, in ms'),
  runtimeMs: described(maybe.amount, 'run time, in ms'),
  totalResponseTimeMs: described(maybe.amount, 'total response time, in ms'),
  statusCode: described(maybe.number, 'HTTP status; 0: canceled, -1: closed by the caller'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  updatedAt: described(maybe.time, 'RFC 3339, UTC'),

  status: described(optionalEnum(...runStatuses), 'platform status, otherwise derived from the status code'),
  async: described(maybe.boolean, 'whether the call was asynchronous'),
  functionName: described(maybe.text, 'function, if known'),
  method: described(maybe.text, 'HTTP method'),
  region: described(maybe.text, 'region'),
  containerId: described(maybe.text, 'container'),
  webhookEndpoint: described(maybe.text, 'URL that the result is sent to'),
  websocket: described(maybe.boolean, 'whether the call was a WebSocket'),
  completedAt: described(maybe.time, 'when it ended: RFC 3339, UTC'),
  containerStartedAt: described(maybe.time, 'when a container received it: RFC 3339, UTC'),
  executionTimeMs: maybe.amount,
  queueTimeMs: maybe.amount,
  responseTimeMs: maybe.amount,
  buildId: assumed(maybe.text),
  webhookDelivery: described(assumed(maybe.text), 'what became of it, if the platform tells it'),
});
export type Run = v.InferOutput<typeof Run>;

/** The times of a run, which the two endpoints name in two ways. */
export function runTimes(run: Run) {
  return {
    queueMs: run.totalQueueTimeMs ?? run.queueTimeMs,
    runMs: run.runtimeMs ?? run.executionTimeMs,
    responseMs: run.totalResponseTimeMs ?? run.responseTimeMs,
  };
}

/** The replica that a run was in, which the two endpoints name in two ways. Empty if that is not known. */
export function replicaOf({ containerId, podName }: Run): string {
  return containerId || podName || '';
}

/** Spec 2.7 names the statistics, not the fields. In ms. */
const runStatistics = assumed({
  avgRuntimeMs: maybe.amount,
  p50RuntimeMs: maybe.amount,
  p90RuntimeMs: maybe.amount,
  p99RuntimeMs: maybe.amount,
  minRuntimeMs: maybe.amount,
  maxRuntimeMs: maybe.amount,
  minResponseTimeMs: maybe.amount,
  maxResponseTimeMs: maybe.amount,
  avgResponseTimeMs: maybe.amount,
  p50ResponseTimeMs: maybe.amount,
  p90ResponseTimeMs: maybe.amount,
  p99ResponseTimeMs: maybe.amount,
});

/** Statistics of one period (spec 2.7). Times in ms. */
export const RunBucket = objectOf({
  timeGroup: maybe.text,
  startTime: maybe.time,
  endTime: maybe.time,
  totalRequests: maybe.number,
  successfulRequests: maybe.number,
  failedRequests: maybe.number,
  cancelledRequests: maybe.number,
  proxyQueued: maybe.number,
  containerQueued: maybe.number,
  processing: maybe.number,
  successRate: maybe.number,
  avgColdstartTimeMs: maybe.amount,
  avgQueueTimeMs: maybe.amount,
  ...runStatistics,
});
export type RunBucket = v.InferOutput<typeof RunBucket>;

/** Lengths of a bucket (spec 4.6). */
export const bucketSizes = ['minute', 'hour', 'day'] as const;
export type BucketSize = (typeof bucketSizes)[number];

/** Runs or buckets: buckets if requested, and for any range over 24 hours (spec 2.8, 4.6). */
export const RunsChart = replyObject({
  aggregatedData: optionalList(RunBucket),
  groupBy: maybe.text,
  timeRange: maybe.text,
  nextToken: maybe.text,
  items: optionalList(Run, 'id'),
  total: maybe.number,
});
export type RunsChart = v.InferOutput<typeof RunsChart>;

/**
 * The specification gives the meaning of these parameters but not their names (spec 4.6; docs/platform.md#runs).
 * Durations are in milliseconds, times in RFC 3339.
 */
const RunsQuery = assumed(
  v.object({
    startTime: v.optional(v.string()),
    endTime: v.optional(v.string()),
    nextToken: v.optional(v.string()),
    timezone: v.optional(v.string()),
    limit: v.optional(queryNumber(1)),
    status: v.optional(v.picklist(runStatuses)),
    statusCode: v.optional(queryNumber(-1)),
    groupBy: v.optional(v.picklist(bucketSizes)),
    aggregate: v.optional(queryBoolean),
    offset: v.optional(queryNumber(0)),
    minStartupTime: v.optional(queryNumber(0)),
    maxStartupTime: v.optional(queryNumber(0)),
    minResponseTime: v.optional(queryNumber(0)),
    maxResponseTime: v.optional(queryNumber(0)),
  }),
);
export type RunsQuery = v.InferOutput<typeof RunsQuery>;

/** Lists the runs of an app, or buckets (spec 4.6). */
export const getRunsChart = endpoint('GET /v2/projects/{project}/apps/{app}/runs/charts', {
  query: RunsQuery,
  reply: RunsChart,
});

/** List the runs of an app, newest first, with fields that the chart endpoint leaves out (docs/platform.md#runs). */
export const listRuns = endpoint('GET /v2/projects/{project}/apps/{app}/runs', {
  query: v.object({ asyncOnly: v.optional(queryBoolean), nextToken: assumed(v.optional(v.string())) }),
  reply: replyObject({ items: listOf(Run, 'id'), nextToken: maybe.text }),
});

/** Get one run (docs/platform.md#runs). */
export const getRun = endpoint('GET /v2/projects/{project}/apps/{app}/runs/{run}', {
  reply: replyObject({ item: Run }, 'item'),
});

/** Cancel a run. Observed in use (docs/platform.md#runs). */
export const cancelRun = endpoint('DELETE /v2/projects/{project}/apps/{app}/runs/{run}', { reply: 'nothing' });

/** Whether a value is within the bounds of a query. A value that is not known is within none. */
export function isInBounds(value: number | null | undefined, min?: number, max?: number): boolean {
  if (min === undefined && max === undefined) return true;
  return typeof value === 'number' && value >= (min ?? value) && value <= (max ?? value);
}
