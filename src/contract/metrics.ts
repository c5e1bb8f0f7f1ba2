import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { timestamp } from './scalars.ts';

const seconds = v.optional(v.nullable(v.number()));

/** How many points of a series there are; without it, the standard number (spec 4.7). */
export const resolutions = ['medium', 'high'] as const;

/** How long replicas took to start, over time. `timestamp` in Unix seconds, percentiles in seconds (spec 2.9). */
export const StartupTimes = v.looseObject({
  status: v.optional(v.nullable(v.string())),
  data: v.nullable(
    v.looseObject({
      time_series: v.nullable(
        v.array(v.looseObject({ timestamp: v.number(), p50: seconds, p90: seconds, p99: seconds })),
      ),
      total_runs: v.optional(v.nullable(v.number())),
      start_date: v.optional(timestamp),
      end_date: v.optional(timestamp),
    }),
  ),
});
export type StartupTimes = v.InferOutput<typeof StartupTimes>;

/** Startup times of an app; the names of the query are those of its sibling resource-metrics (spec 4.7, wire §0). */
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
