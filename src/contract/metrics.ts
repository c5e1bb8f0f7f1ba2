import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { numberOrNaN, optionalNumber, optionalText, optionalTime } from './scalars.ts';

/** Number of points in a series; the default is lower (spec 4.7). */
export const resolutions = ['medium', 'high'] as const;

/** Startup times of replicas. `timestamp` is in Unix seconds, percentiles are in seconds (spec 2.9). */
export const StartupTimes = replyObject({
  status: optionalText,
  data: v.nullish(
    objectOf({
      time_series: listOf(
        objectOf({ timestamp: numberOrNaN, p50: optionalNumber, p90: optionalNumber, p99: optionalNumber }),
        'timestamp',
      ),
      total_runs: optionalNumber,
      start_date: optionalTime,
      end_date: optionalTime,
    }),
  ),
});
export type StartupTimes = v.InferOutput<typeof StartupTimes>;

/**
 * Startup times of an app (spec 4.7). The query uses the names of the resource metrics endpoint
 * (docs/platform.md#metrics).
 */
export const getStartupTimes = endpoint('GET /v2/projects/{project}/apps/{app}/metrics/startup-time', {
  query: assumed(
    v.object({
      start: v.optional(v.string()),
      end: v.optional(v.string()),
      container_id: v.optional(v.string()),
      resolution: v.optional(v.picklist(resolutions)),
    }),
  ),
  reply: StartupTimes,
});
