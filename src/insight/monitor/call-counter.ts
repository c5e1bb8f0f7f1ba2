import * as v from 'valibot';
import { minuteMs } from '../../kernel/durations.ts';
import { toMs } from '../../kernel/output/format.ts';
import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import { getRunsChart, type RunBucket } from '../../platform/contract/runs.ts';

/** Calls of an app since it is counted, and the seconds of those that have ended, if all are known. They never fall. */
const Counts = v.object({ calls: v.number(), failed: v.number(), responseSeconds: v.nullable(v.number()) });
export type CallCounts = v.InferOutput<typeof Counts>;

/** What is kept over restarts. Times in ms since 1970. */
export const KeptCounts = v.object({
  /** Calls that were made before are in `before`. */
  from: v.number(),
  before: Counts,
  /** What was last told. */
  told: Counts,
});
export type KeptCounts = v.InferOutput<typeof KeptCounts>;

/** A call that has not ended after this time counts, but not as failed, and not for the response time. */
const openMs = 30 * minuteMs;
/** Read at once, after a break. */
const longestMs = 24 * 60 * minuteMs;

/** What is kept of an app whose calls are counted from now on. */
export function noCounts({ platformNow }: Pick<Context, 'platformNow'>): KeptCounts {
  const zero = { calls: 0, failed: 0, responseSeconds: 0 };
  return { from: startOfMinute(platformNow()), before: zero, told: zero };
}

/**
 * Counts the calls of an app by minutes, which the platform has the counts of: whatever number of calls, one request. Jobs
 * are in them. A minute is read again until its calls have ended.
 */
export async function readCounts(
  { project, platformNow }: Pick<Context, 'project' | 'platformNow'>,
  api: Api,
  app: string,
  { from, before, told }: KeptCounts,
): Promise<KeptCounts> {
  const now = platformNow();
  const until = Math.min(now, from + longestMs);
  const [startTime, endTime] = [from, until].map((time) => new Date(time).toISOString());
  const query = { startTime, endTime, aggregate: true, groupBy: 'minute', timezone: 'UTC' } as const;
  const { aggregatedData } = await api(getRunsChart, { project, app, query });
  const settledTo = Math.max(from, Math.min(startOfMinute(until), startOfMinute(now - openMs)));
  let settled = before;
  let all = before;
  for (const bucket of aggregatedData ?? []) {
    const start = toMs(bucket.startTime);
    // Some platforms do not keep to the range.
    if (Number.isNaN(start) || start < from) continue;
    all = add(all, bucket);
    if (start < settledTo) settled = add(settled, bucket);
  }
  return { from: settledTo, before: settled, told: largest(told, all) };
}

function add({ calls, failed, responseSeconds }: CallCounts, bucket: RunBucket): CallCounts {
  const { totalRequests, successfulRequests, failedRequests, avgResponseTimeMs } = bucket;
  const ended = (successfulRequests ?? 0) + (failedRequests ?? 0);
  const seconds = ended === 0 ? 0 : avgResponseTimeMs === undefined ? null : (avgResponseTimeMs * ended) / 1_000;
  return {
    calls: calls + (totalRequests ?? 0),
    failed: failed + (failedRequests ?? 0),
    responseSeconds: responseSeconds === null || seconds === null ? null : responseSeconds + seconds,
  };
}

/** A platform that forgets runs must not make a counter fall. */
function largest(told: CallCounts, now: CallCounts): CallCounts {
  return {
    calls: Math.max(told.calls, now.calls),
    failed: Math.max(told.failed, now.failed),
    responseSeconds: now.responseSeconds === null ? null : Math.max(told.responseSeconds ?? 0, now.responseSeconds),
  };
}

function startOfMinute(time: number): number {
  return Math.floor(time / minuteMs) * minuteMs;
}
