import { getRunsChart, type Run, type RunsChart, type RunsQuery } from '../../contract/runs.ts';
import { UnexpectedReplyError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { type PagePosition, readPages } from '../replies/index.ts';
import { fewerRunsFix, type RunQuery, type RunSearchContext, type RunSearchResult } from './run-search.ts';
import { runKey } from './run-status.ts';

/** For a longer range the platform returns counts instead of runs (spec 4.6). */
const maxWindowMs = 24 * 3_600_000;
const maxConcurrentWindows = 4;
const pageSize = { min: 100, max: 1_000 };

/** Splits the range into windows of at most 24 hours and reads them, newest first, until the limit is reached. */
export async function searchTimeWindows(search: RunSearchContext, query: RunQuery): Promise<RunSearchResult> {
  const windows = splitRange(query);
  const found = new Map<string, Run>();
  let total = 0;
  let read = 0;
  let isComplete = true;
  while (read < windows.length && found.size < query.limit) {
    const missing = query.limit - found.size;
    const next = windows.slice(read, read + estimateWindows(missing, read, found.size));
    for (const window of await Promise.all(next.map((range) => readWindow(search, query, range, missing)))) {
      // A run at the boundary may be in both windows.
      const duplicates = window.runs.filter((run) => found.has(runKey(run))).length;
      for (const run of window.runs) found.set(runKey(run), run);
      total += window.total - duplicates;
      isComplete &&= window.isComplete;
    }
    read += next.length;
    search.onProgress(`${count(found.size, 'run')} in ${read} of ${count(windows.length, 'day')}`);
  }
  return { runs: [...found.values()], total, hasMore: read < windows.length, isComplete };
}

interface Window {
  start: number;
  end: number;
}

function splitRange({ since, until }: RunQuery): Window[] {
  const windows: Window[] = [];
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

/** Reads the pages of one window until there are enough runs. */
async function readWindow(
  { api, project }: RunSearchContext,
  { app, filters }: RunQuery,
  { start, end }: Window,
  enough: number,
): Promise<Omit<RunSearchResult, 'hasMore'>> {
  const limit = Math.min(pageSize.max, Math.max(pageSize.min, enough));
  const range = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString(), limit };
  const read = async (position: PagePosition | undefined) => {
    const query = { ...range, ...positionQuery(position), ...filters };
    const page = await api(getRunsChart, { project, app, query });
    return { ...page, items: runsIn(page) };
  };
  const runs: Run[] = [];
  let total = Number.POSITIVE_INFINITY;
  const pages = readPages({ read, key: runKey, by: 'offset', limit, fix: fewerRunsFix });
  let next = await pages.next();
  while (!next.done) {
    runs.push(...next.value.items);
    total = Math.min(total, next.value.page.total ?? total);
    if (runs.length >= enough) break;
    next = await pages.next();
  }
  const isComplete = next.done ? next.value : true;
  return { runs, isComplete, total: Number.isFinite(total) ? Math.max(total, runs.length) : runs.length };
}

function positionQuery(position: PagePosition | undefined): Pick<RunsQuery, 'offset' | 'nextToken'> {
  if (!position) return {};
  return 'token' in position ? { nextToken: position.token } : { offset: position.offset };
}

/** Throws UnexpectedReplyError if a page has counts instead of runs. */
export function runsIn({ items, aggregatedData }: RunsChart): Run[] {
  if (items || !aggregatedData) return items ?? [];
  throw new UnexpectedReplyError('the platform returned counts instead of runs', {
    why: 'it documents that only for ranges over 24 hours, and this range is shorter',
    fix: 'try a shorter range: --since 1h',
  });
}
