import { count } from '../../kernel/output/format.ts';
import { getRunsChart, type Run } from '../../platform/contract/runs.ts';
import { type PagePosition, readPages } from '../../platform/replies/index.ts';
import { atPosition, isNewestFirst, runsIn } from './list-runs.ts';
import { fewerRunsFix, matches, type RunQuery, type RunSearchContext, type RunSearchResult } from './run-search.ts';
import { runKey } from './run-status.ts';

/** For a longer range the platform returns counts instead of runs (spec 4.6). */
const maxWindowMs = 24 * 3_600_000;
const maxConcurrentWindows = 4;
const pageSize = { min: 100, max: 1_000 };

/** Splits the range into windows of at most 24 hours and reads them, newest first, until the limit is reached. */
export async function searchTimeWindows(search: RunSearchContext, query: RunQuery): Promise<RunSearchResult> {
  let windows = splitRange(query);
  const found = new Map<string, Run>();
  let total = 0;
  let read = 0;
  let isComplete = true;
  let isUnfiltered = false;
  while (read < windows.length && found.size < query.limit) {
    const missing = query.limit - found.size;
    const next = windows.slice(read, read + estimateWindows(missing, read, found.size));
    for (const window of await Promise.all(next.map((range) => readWindow(search, query, range, missing)))) {
      // A run at the boundary may be in both windows.
      const duplicates = window.runs.filter((run) => found.has(runKey(run))).length;
      for (const run of window.runs) found.set(runKey(run), run);
      total += window.total - duplicates;
      isComplete &&= window.isComplete;
      isUnfiltered ||= window.isUnfiltered;
      // Each window is the whole list.
      if (window.hasOtherTimes) windows = next;
    }
    read += next.length;
    search.onProgress(`${count(found.size, 'run')} in ${read} of ${count(windows.length, 'day')}`);
  }
  return { runs: [...found.values()], total, hasMore: read < windows.length, isComplete, isUnfiltered };
}

interface TimeWindow {
  start: number;
  end: number;
}

function splitRange({ since, until }: RunQuery): TimeWindow[] {
  const windows: TimeWindow[] = [];
  let end = until;
  do {
    const start = Math.max(since, end - maxWindowMs);
    windows.push({ start, end });
    end = start;
  } while (end > since);
  return windows;
}

/** Estimates from the windows already read how many more are needed. */
function estimateWindows(missing: number, read: number, found: number): number {
  if (missing === Number.POSITIVE_INFINITY) return maxConcurrentWindows;
  return read === 0 ? 1 : Math.min(maxConcurrentWindows, Math.ceil((missing * read) / found));
}

interface RunsInWindow extends Omit<RunSearchResult, 'hasMore'> {
  isUnfiltered: boolean;
  /** The platform does not keep to the window: these are of all of the range. */
  hasOtherTimes: boolean;
}

/** Reads the pages of one window until there are enough runs. */
async function readWindow(
  { api, project }: RunSearchContext,
  asked: RunQuery,
  { start, end }: TimeWindow,
  enough: number,
): Promise<RunsInWindow> {
  const { app, filters } = asked;
  const limit = Math.min(pageSize.max, Math.max(pageSize.min, enough));
  const range = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString(), limit };
  const read = async (position: PagePosition | undefined) => {
    const query = { ...range, ...atPosition(position), ...filters };
    const page = await api(getRunsChart, { project, app, query });
    return { ...page, items: runsIn(page) };
  };
  const runs: Run[] = [];
  let isUnfiltered = false;
  let hasOtherTimes = false;
  let total = Number.POSITIVE_INFINITY;
  const pages = readPages({ read, key: runKey, by: 'offset', limit, fix: fewerRunsFix });
  let next = await pages.next();
  while (!next.done) {
    const { items, page } = next.value;
    const matching = items.filter((run) => matches(run, asked));
    for (const run of matching) runs.push(run);
    isUnfiltered ||= matching.length < items.length;
    hasOtherTimes ||= items.some((run) => !matches(run, { since: start, until: end, filters: {} }));
    total = Math.min(total, page.total ?? total);
    if (runs.length >= enough && isNewestFirst(page.items)) break;
    next = await pages.next();
  }
  const isComplete = next.done ? next.value : true;
  const isCounted = Number.isFinite(total) && !isUnfiltered && !hasOtherTimes;
  return {
    runs,
    isComplete,
    isUnfiltered,
    hasOtherTimes,
    total: isCounted ? Math.max(total, runs.length) : runs.length,
  };
}
