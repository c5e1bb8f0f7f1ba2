import { type BucketSize, type RunsQuery, runPhase } from '../../contract/runs.ts';
import { findApp } from '../apps/find.ts';
import type { Handlers, Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import { day, formatTime, hour, minute, parseTimeRange, type TimeRange } from '../time.ts';
import { aggregateRuns } from './aggregate.ts';
import { type Bucket, splitIntoBuckets } from './buckets.ts';
import { compareNewestFirst, findRun, findRuns, type RunPosition } from './find.ts';
import { getRunProgress, type RunProgress } from './run-progress.ts';
import { runChartItem, runListItem } from './view.ts';

type RunHandlers = Pick<Handlers, 'getRunsChart' | 'listRuns' | 'getRun' | 'cancelRun'>;

export const runHandlers: RunHandlers = {
  // Longer than 24 hours is in buckets, whatever was asked for (spec 4.6).
  getRunsChart({ query = {}, ...given }, platform) {
    const app = findApp(platform.store, given);
    const range = parseTimeRange(query, ['startTime', 'endTime'], platform.now());
    const buckets = bucketsForQuery(range, query);
    // What is yet to come has not been seen.
    const found = findRuns(app, { ...range, end: Math.min(range.end, platform.now()) }, platform.store)
      .map((run) => ({ run, createdAt: run.createdAt, reading: getRunProgress(run, platform.now()) }))
      .filter(({ reading }) => matchesQuery(reading, query));
    const total = found.length;
    if (query.aggregate || range.end - range.start > day) {
      const timeRange = `${formatTime(range.start)}/${formatTime(range.end)}`;
      return { aggregatedData: aggregateRuns(found, buckets.list), groupBy: buckets.size, timeRange, total };
    }

    const { offset = 0, limit = 100 } = query;
    const items = found.slice(offset, offset + limit).map(({ run, reading }) => runChartItem(app, run, reading));
    return { items, total, ...(offset + limit < total && { nextToken: String(offset + limit) }) };
  },

  listRuns({ query, ...given }, platform) {
    const app = findApp(platform.store, given);
    const after = query?.nextToken === undefined ? undefined : parsePageToken(query.nextToken);
    const wanted = (run: RunRecord) =>
      (!query?.asyncOnly || run.async) && (!after || compareNewestFirst(after, run) < 0);
    const found = latestRuns(app, Math.min(after?.createdAt ?? platform.now(), platform.now()), wanted, platform);
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    return {
      items: page.map((run) => runListItem(app, run, getRunProgress(run, platform.now()))),
      nextToken: last && found.length > pageSize ? pageTokenAfter(last) : '',
    };
  },

  getRun(given, platform) {
    const app = findApp(platform.store, given);
    const run = findRun(app, given.run, platform.store, platform.now());
    return { item: runListItem(app, run, getRunProgress(run, platform.now())) };
  },

  cancelRun(given, { store, now, runner }) {
    const run = findRun(findApp(store, given), given.run, store, now());
    const { status } = getRunProgress(run, now());
    if (runPhase(status) !== 'in progress') refuse(409, `run ${run.id} cannot be cancelled: it is ${status}`);
    store.runs.set(run.id, { ...run, cancelledAt: now() });
    runner.cancelRun(run.id);
    store.save();
    return undefined;
  },
};

const pageSize = 100;

/** The runs up to an end, newest first: a page of them and at least one more, or all there are. */
function latestRuns(
  app: AppRecord,
  end: number,
  wanted: (run: RunRecord) => boolean,
  { store }: Platform,
): RunRecord[] {
  for (let length = day; ; length *= 8) {
    const found = findRuns(app, { start: end - length, end }, store).filter(wanted);
    if (found.length > pageSize || length > end) return found;
  }
}

/** The buckets of a range: hours, and days beyond a week, unless a size is asked for (spec 4.6). */
function bucketsForQuery(range: TimeRange, { groupBy, timezone }: RunsQuery): { size: BucketSize; list: Bucket[] } {
  const length = range.end - range.start;
  const size = groupBy ?? (length > 7 * day ? 'day' : 'hour');
  const number = length / { minute, hour, day }[size];
  if (number > maxBuckets) refuse(400, `the range has too many buckets of a ${size}: ${Math.ceil(number)}`);
  try {
    return { size, list: splitIntoBuckets(range, size, timezone) };
  } catch {
    return refuse(400, `timezone is not the IANA name of a zone: ${timezone}`);
  }
}

/** Our own limit, for the sake of memory: a month of minutes. */
const maxBuckets = 50_000;

function matchesQuery({ status, statusCode, coldstartMs, responseMs }: RunProgress, query: RunsQuery): boolean {
  return (
    (query.status === undefined || query.status === status) &&
    (query.statusCode === undefined || query.statusCode === statusCode) &&
    isWithin(coldstartMs, query.minStartupTime, query.maxStartupTime) &&
    isWithin(responseMs, query.minResponseTime, query.maxResponseTime)
  );
}

/** What is not known yet is within no bounds. */
function isWithin(value: number | undefined, least: number | undefined, most: number | undefined): boolean {
  if (least === undefined && most === undefined) return true;
  return value !== undefined && value >= (least ?? 0) && value <= (most ?? Number.POSITIVE_INFINITY);
}

/** A page goes on after a run, not after a number of them: what comes in meanwhile shifts nothing. */
function pageTokenAfter({ createdAt, id }: RunPosition): string {
  return Buffer.from(`${createdAt}/${id}`).toString('base64url');
}

function parsePageToken(token: string): RunPosition {
  const [, createdAt, id] = /^(\d+)\/(.+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  return id ? { createdAt: Number(createdAt), id } : refuse(400, 'nextToken is none that was given');
}
