import { wallClock } from '../../../kernel/wall-clock.ts';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { BucketSize, RunStatus } from '../../../platform/contract/runs.ts';
import { day, formatTime, hour, minute, type TimeRange } from '../time.ts';
import type { RunProgress } from './record.ts';

/** A minute, hour or day in a time zone, cut to the requested range. */
export interface Bucket extends TimeRange {
  /** Local time: `2026-10-25` or `2026-10-25T02:00+02:00`. */
  label: string;
}

/**
 * Splits a range into contiguous buckets in local time. On a clock change a day has 23 or 25 hours, and the repeated hour
 * is two buckets. Throws a RangeError for an unknown time zone.
 */
export function splitIntoBuckets({ start, end }: TimeRange, size: BucketSize, zone = 'UTC'): Bucket[] {
  const length = { minute, hour, day }[size];
  const offsetAt = createOffsetReader(zone);
  const buckets: Bucket[] = [];
  let from = start;
  do {
    const offset = offsetAt(from);
    const local = Math.floor((from + offset) / length) * length;
    const label = labelOf(local, offset, size);
    // Clocks change at quarters of an hour.
    const nextQuarter = (Math.floor(from / (15 * minute)) + 1) * 15 * minute;
    const to = Math.min(local + length - offset, nextQuarter, end);
    const last = buckets.at(-1);
    if (last?.label === label) last.end = to;
    else buckets.push({ start: from, end: to, label });
    from = to;
  } while (from < end);
  return buckets;
}

/** Returns a function from a time to the zone's offset from UTC in ms. */
function createOffsetReader(zone: string): (time: number) => number {
  // Some versions of Node accept an offset such as `+02:00` as a zone.
  if (!/^[A-Za-z]/.test(zone)) throw new RangeError(`${zone} is not a time zone`);
  const clock = wallClock(zone);
  return (time) => clock(time) - Math.floor(time / 1000) * 1000;
}

function labelOf(local: number, offset: number, size: BucketSize): string {
  const text = new Date(local).toISOString();
  if (size === 'day') return text.slice(0, 10);
  return text.slice(0, 16) + offsetText(offset);
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(Math.round(offset / minute));
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/**
 * Aggregates runs, newest first, by the bucket they were created in (spec 2.7). Runtime and response time include runs
 * that succeeded or failed, the average cold start those that had one. A value without runs is absent.
 */
export function aggregateRuns(
  runs: readonly { createdAt: number; progress: RunProgress }[],
  buckets: readonly Bucket[],
) {
  const groups: RunProgress[][] = buckets.map(() => []);
  let current = buckets.length - 1;
  for (const { createdAt, progress } of runs) {
    while ((buckets[current]?.start ?? 0) > createdAt) current -= 1;
    groups[current]?.push(progress);
  }
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

function counts(runs: readonly RunProgress[]) {
  const number = (...statuses: RunStatus[]) => runs.filter(({ status }) => statuses.includes(status)).length;
  const successful = number('success');
  const finished = number('success', 'failure', 'cancelled');
  return {
    totalRequests: runs.length,
    successfulRequests: successful,
    failedRequests: number('failure'),
    cancelledRequests: number('cancelled'),
    proxyQueued: number('proxyQueued'),
    containerQueued: number('containerQueued'),
    processing: number('processing'),
    successRate: finished === 0 ? undefined : round((100 * successful) / finished),
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
