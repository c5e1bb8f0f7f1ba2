import { checkRange, hourMs } from '../../kernel/durations.ts';
import { count, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { outcomeWords, runOutcome } from '../../platform/contract/run-outcome.ts';
import { isInBounds, type Run, type RunStatus, type RunsQuery, runTimes } from '../../platform/contract/runs.ts';
import type { PagePosition } from '../../platform/replies/index.ts';
import { atPosition, fewerRunsFix, isPast, newestFirst, readChart, readRunList, readRunPages } from './list-runs.ts';
import { runKey } from './run-status.ts';

/**
 * Finds runs over a range of any length, newest first, without duplicates. Throws UsageError if the range ends before it
 * begins, UnexpectedReplyError if the platform returns counts instead of runs. `total`: in the part of the range that was
 * searched; `hasMore`: another part was not, as the limit was reached. Not complete: the platform announced more than it
 * returned.
 */
export async function searchRuns(context: Context, query: RunQuery) {
  checkRange(query);
  const { project, progress, signal, platformNow } = context;
  const done = new AbortController();
  const api = context.apiWithSignal(AbortSignal.any([signal, done.signal]));
  const step = progress.step(`Reading runs of ${query.app}`);
  const search = { api, project, platformNow, onProgress: (text: string) => step.update({ text }) };
  try {
    const searched = await (query.asyncOnly ? searchList(search, query) : searchTimeWindows(search, query));
    const runs = newestFirst(searched.runs).slice(0, query.limit);
    if (searched.isUnfiltered) {
      progress.warn('the platform does not filter runs as it was asked: those that do not match were left out here');
    }
    const timeless = runs.filter(({ createdAt }) => !createdAt).length;
    if (timeless > 0) progress.warn(`${count(timeless, 'run')} may be outside of the range: their time is not listed`);
    return { ...searched, runs };
  } finally {
    step.clear();
    // If one request fails, the others are useless.
    done.abort();
  }
}

/** The list takes no filter and no range: both are applied here. */
async function searchList(search: RunSearchContext, query: RunQuery) {
  const { app, limit, since } = query;
  const isAsked = (run: Run) => matches(run, query);
  let hasOlder = true;
  const { runs, hasMore, isComplete } = await readRunList(search, app, {
    asyncOnly: true,
    isEnough(page, all) {
      search.onProgress(count(all.length, 'run'));
      hasOlder = !isPast(page.slice(-1), since);
      return isPast(page, since) || all.filter(isAsked).length >= limit;
    },
  });
  const matching = runs.filter(isAsked);
  return {
    runs: matching,
    total: matching.length,
    hasMore: hasMore && hasOlder,
    isComplete,
    isUnfiltered: false,
  };
}

export interface RunQuery {
  app: string;
  since: number;
  until: number;
  filters: RunFilters;
  /** Only runs that were called with `async=true`. */
  asyncOnly: boolean;
  /** Infinity for all. */
  limit: number;
}

export type RunFilters = Pick<
  RunsQuery,
  'status' | 'statusCode' | 'minStartupTime' | 'maxStartupTime' | 'minResponseTime' | 'maxResponseTime'
>;

export type RunSearchResult = Awaited<ReturnType<typeof searchRuns>>;

interface RunSearchContext extends Pick<Context, 'api' | 'project' | 'platformNow'> {
  onProgress: (text: string) => void;
}

type AskedRuns = Pick<RunQuery, 'since' | 'until' | 'filters'> & Partial<Pick<RunQuery, 'asyncOnly'>>;

/** Times of runs may be in whole seconds. */
const roundingMs = 1_000;

/**
 * Whether a run is one that was asked for: a server ignores parameters that it does not know. A run without a time may be
 * within any range, and one that does not say how it was called may be asynchronous. One without another value that a filter
 * needs does not match.
 */
export function matches(run: Run, { since, until, filters, asyncOnly }: AskedRuns): boolean {
  const at = toMs(run.createdAt);
  return (
    !(at < since - roundingMs || at > until + roundingMs) &&
    !(asyncOnly && run.async === false) &&
    (filters.status === undefined || hasStatus(run, filters.status)) &&
    (filters.statusCode === undefined || run.statusCode === filters.statusCode) &&
    isInBounds(run.coldstartTimeMs, filters.minStartupTime, filters.maxStartupTime) &&
    isInBounds(runTimes(run).responseMs, filters.minResponseTime, filters.maxResponseTime)
  );
}

/** Runs of a chart do not say in which status they are while they are in progress (spec 2.6). */
function hasStatus(run: Run, wanted: RunStatus): boolean {
  const outcome = runOutcome(run);
  if (outcome === 'unknown') return false;
  if (outcome !== 'in progress') return outcomeWords[outcome] === wanted;
  return run.status ? run.status === wanted : !Object.values<string>(outcomeWords).includes(wanted);
}

/** For a longer range the platform returns counts instead of runs (spec 4.6). */
const maxWindowMs = 24 * hourMs;
const maxConcurrentWindows = 4;
const pageSize = { min: 100, max: 1_000 };

/** Splits the range into windows of at most 24 hours and reads them, newest first, until the limit is reached. */
export async function searchTimeWindows(search: RunSearchContext, query: RunQuery) {
  let windows = splitRange(query);
  const byId = new Map<string, Run>();
  let total = 0;
  let read = 0;
  let isComplete = true;
  let isUnfiltered = false;
  while (read < windows.length && byId.size < query.limit) {
    const missing = query.limit - byId.size;
    const next = windows.slice(read, read + estimateWindows(missing, read, byId.size));
    for (const window of await Promise.all(next.map((range) => readWindow(search, query, range, missing)))) {
      // A run at the boundary may be in both windows.
      const duplicates = window.runs.filter((run) => byId.has(runKey(run))).length;
      for (const run of window.runs) byId.set(runKey(run), run);
      total += window.total - duplicates;
      isComplete &&= window.isComplete;
      isUnfiltered ||= window.isUnfiltered;
      // Each window is the whole list.
      if (window.hasOtherTimes) windows = next;
    }
    read += next.length;
    search.onProgress(`${count(byId.size, 'run')} in ${read} of ${count(windows.length, 'day')}`);
  }
  return { runs: [...byId.values()], total, hasMore: read < windows.length, isComplete, isUnfiltered };
}

type TimeWindow = Pick<RunQuery, 'since' | 'until'>;

function splitRange({ since, until }: RunQuery): TimeWindow[] {
  const windows: TimeWindow[] = [];
  let end = until;
  do {
    const start = Math.max(since, end - maxWindowMs);
    windows.push({ since: start, until: end });
    end = start;
  } while (end > since);
  return windows;
}

/** Estimates from the windows already read how many more are needed. */
function estimateWindows(missing: number, read: number, foundCount: number): number {
  if (missing === Number.POSITIVE_INFINITY) return maxConcurrentWindows;
  return read === 0 ? 1 : Math.min(maxConcurrentWindows, Math.ceil((missing * read) / foundCount));
}

/**
 * Reads the pages of one window until there are enough runs. `hasOtherTimes`: the platform does not keep to the window, and
 * these are of all of the range.
 */
async function readWindow({ api, project }: RunSearchContext, asked: RunQuery, window: TimeWindow, enough: number) {
  const { app, filters } = asked;
  const limit = Math.min(pageSize.max, Math.max(pageSize.min, enough));
  const startTime = new Date(window.since).toISOString();
  const range = { startTime, endTime: new Date(window.until).toISOString(), limit };
  const read = (position: PagePosition | undefined) =>
    readChart(api, { project, app }, { ...range, ...atPosition(position), ...filters });
  const isAsked = (run: Run) => matches(run, asked);
  const { runs, total, isComplete } = await readRunPages(
    { read, by: 'offset', limit, fix: fewerRunsFix },
    (_, read) => read.filter(isAsked).length >= enough,
  );
  const matching = runs.filter(isAsked);
  const isUnfiltered = matching.length < runs.length;
  const hasOtherTimes = runs.some((run) => !matches(run, { ...window, filters: {} }));
  const isCounted = Number.isFinite(total) && !isUnfiltered && !hasOtherTimes;
  return {
    runs: matching,
    isComplete,
    isUnfiltered,
    hasOtherTimes,
    total: isCounted ? Math.max(total, runs.length) : matching.length,
  };
}
