import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { maybe, numberOrNaN, textOrEmpty } from './scalars.ts';

/** Number of points in a series; the default is lower (spec 4.7). */
export const resolutions = ['medium', 'high'] as const;

/** The query of both endpoints. Only that of the resource metrics is known (docs/platform.md#metrics). */
const metricsQuery = {
  start: v.optional(v.string()),
  end: v.optional(v.string()),
  container_id: v.optional(v.string()),
  resolution: v.optional(v.picklist(resolutions)),
};

/** Startup times of replicas. `timestamp` is in Unix seconds, percentiles are in seconds (spec 2.9). */
export const StartupTimes = replyObject({
  status: maybe.text,
  data: v.nullish(
    objectOf({
      time_series: listOf(
        objectOf({ timestamp: numberOrNaN, p50: maybe.number, p90: maybe.number, p99: maybe.number }),
        'timestamp',
      ),
      total_runs: maybe.number,
      start_date: maybe.time,
      end_date: maybe.time,
    }),
  ),
});
export type StartupTimes = v.InferOutput<typeof StartupTimes>;

/**
 * Startup times of an app (spec 4.7). The query uses the names of the resource metrics endpoint
 * (docs/platform.md#metrics).
 */
export const getStartupTimes = endpoint('GET /v2/projects/{project}/apps/{app}/metrics/startup-time', {
  query: assumed(v.object(metricsQuery)),
  reply: StartupTimes,
});

/** Each series has one value for each timestamp. Values are sent as text; a gap is null. */
const ResourceChart = objectOf({
  timestamps: maybe.numbers,
  series: listOf(objectOf({ name: textOrEmpty, data: maybe.numbers }), 'name'),
});

/** What the replicas of an app used: cores, and GB of memory and of GPU memory (docs/platform.md#metrics). */
export const ResourceMetrics = replyObject({
  cpu: v.nullish(ResourceChart),
  memory: v.nullish(ResourceChart),
  gpu: v.nullish(ResourceChart),
  containers: v.nullish(ResourceChart),
  requests: v.nullish(ResourceChart),
});
export type ResourceMetrics = v.InferOutput<typeof ResourceMetrics>;

/** The use of CPU, memory and GPU (docs/platform.md#metrics). */
export const getResourceMetrics = endpoint('GET /v2/projects/{project}/apps/{app}/resource-metrics', {
  query: v.object(metricsQuery),
  reply: ResourceMetrics,
});
