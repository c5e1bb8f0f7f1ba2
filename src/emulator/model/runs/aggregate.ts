import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import { formatTime } from '../time.ts';
import type { Bucket } from './buckets.ts';
import type { RunProgress } from './record.ts';

export interface RunWithProgress {
  createdAt: number;
  progress: RunProgress;
}

/**
 * Aggregates runs by the bucket they were created in (spec 2.7). Runtime and response time include runs that succeeded
 * or failed, the average cold start those that had one. A value without runs is absent.
 */
export function aggregateRuns(runs: readonly RunWithProgress[], buckets: readonly Bucket[]) {
  const groups: RunProgress[][] = buckets.map(() => []);
  for (const { createdAt, progress } of runs) groups[bucketIndex(createdAt, buckets)]?.push(progress);
  return buckets.map((bucket, index) => ({
    timeGroup: bucket.label,
    startTime: formatTime(bucket.start),
    endTime: formatTime(bucket.end),
    ...counts(groups[index] ?? []),
    ...timings(groups[index] ?? []),
  }));
}

/** Nearest-rank percentile of sorted values. */
export function percentile(sorted: readonly number[], percent: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/** Binary search for the last bucket that starts at or before `time`. */
function bucketIndex(time: number, buckets: readonly Bucket[]): number {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((buckets[middle]?.start ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

function counts(runs: readonly RunProgress[]) {
  const number = {
    pending: 0,
    proxyQueued: 0,
    containerQueued: 0,
    processing: 0,
    success: 0,
    failure: 0,
    cancelled: 0,
  };
  for (const { status } of runs) number[status] += 1;
  const { success, failure, cancelled, proxyQueued, containerQueued, processing } = number;
  const finished = success + failure + cancelled;
  return {
    totalRequests: runs.length,
    successfulRequests: success,
    failedRequests: failure,
    cancelledRequests: cancelled,
    proxyQueued,
    containerQueued,
    processing,
    successRate: finished === 0 ? undefined : round((100 * success) / finished),
  };
}

function timings(runs: readonly RunProgress[]) {
  const done = runs.filter((run) => /^(succeeded|failed)/.test(runOutcome(run)));
  const starts = runs.map((run) => run.coldstartMs).filter((ms) => ms > 0);
  return {
    avgColdstartTimeMs: average(starts),
    avgQueueTimeMs: average(runs.map((run) => run.queueMs)),
    ...statistics(
      'RuntimeMs',
      done.map((run) => run.runtimeMs ?? 0),
    ),
    ...statistics(
      'ResponseTimeMs',
      done.map((run) => run.responseMs ?? 0),
    ),
  };
}

function statistics<const Measure extends string>(measure: Measure, values: number[]) {
  const sorted = values.sort((a, b) => a - b);
  const measured = {
    avg: average(sorted),
    min: sorted[0],
    max: sorted.at(-1),
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p99: percentile(sorted, 99),
  };
  return Object.fromEntries(Object.entries(measured).map(([name, value]) => [`${name}${measure}`, value]));
}

function average(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : round(values.reduce((sum, value) => sum + value, 0) / values.length);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
