import { getRunsChart, type Run, type RunsChart, type RunsQuery } from '../../contract/runs.ts';
import { UnexpectedReplyError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { type PagePosition, readPages } from '../replies/index.ts';
import { fewerRunsFix, type RunQuery, type RunSearchContext, type RunSearchResult } from './run-search.ts';
import { runKey } from './run-status.ts';

/** The platform gives single runs for a range of this length, and counts for a longer one (spec 4.6). */
const maxWindowMs = 24 * 3_600_000;
const windowsAtOnce = 4;
const pageSize = { least: 100, most: 1_000 };

/** Cuts the range into windows of at most 24 hours and reads them, the newest first, until there are enough runs. */
export async function searchTimeWindows(search: RunSearchContext, wanted: RunQuery): Promise<RunSearchResult> {
  const windows = windowsOf(wanted);
  const found = new Map<string, Run>();
  let total = 0;
  let read = 0;
  let isWhole = true;
  while (read < windows.length && found.size < wanted.limit) {
    const missing = wanted.limit - found.size;
    const next = windows.slice(read, read + windowsToRead(missing, read, found.size));
    for (const window of await Promise.all(next.map((range) => readWindow(search, wanted, range, missing)))) {
      // Where two windows meet, both may have the same run.
      const twice = window.runs.filter((run) => found.has(runKey(run))).length;
      for (const run of window.runs) found.set(runKey(run), run);
      total += window.total - twice;
      isWhole &&= window.isComplete;
    }
    read += next.length;
    search.onProgress(`${count(found.size, 'run')} in ${read} of ${count(windows.length, 'day')}`);
  }
  return { runs: [...found.values()], total, hasMore: read < windows.length, isComplete: isWhole };
}

interface Window {
  start: number;
  end: number;
}

function windowsOf({ since, until }: RunQuery): Window[] {
  const windows: Window[] = [];
  let end = until;
  do {
    const start = Math.max(since, end - maxWindowMs);
    windows.push({ start, end });
    end = start;
  } while (end > since);
  return windows;
}

/** As many as will be needed, guessed from those read: of a busy app one has enough runs, of a quiet one none has. */
function windowsToRead(missing: number, read: number, found: number): number {
  if (missing === Number.POSITIVE_INFINITY) return windowsAtOnce;
  return read === 0 ? 1 : Math.min(windowsAtOnce, Math.ceil((missing * read) / found));
}

/** Follows the pages of one window until there are enough runs. `total` says how many there are. */
async function readWindow(
  { api, project }: RunSearchContext,
  { app, filters }: RunQuery,
  { start, end }: Window,
  enough: number,
): Promise<Omit<RunSearchResult, 'hasMore'>> {
  const limit = Math.min(pageSize.most, Math.max(pageSize.least, enough));
  const range = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString(), limit };
  const read = async (place: PagePosition | undefined) => {
    const query = { ...range, ...placeInQuery(place), ...filters };
    const page = await api(getRunsChart, { project, app, query });
    return { ...page, items: runsOf(page) };
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
  const isWhole = next.done ? next.value : true;
  return { runs, isComplete: isWhole, total: Number.isFinite(total) ? Math.max(total, runs.length) : runs.length };
}

function placeInQuery(place: PagePosition | undefined): Pick<RunsQuery, 'offset' | 'nextToken'> {
  if (!place) return {};
  return 'token' in place ? { nextToken: place.token } : { offset: place.offset };
}

function runsOf({ items, aggregatedData }: RunsChart): Run[] {
  if (items || !aggregatedData) return items ?? [];
  throw new UnexpectedReplyError('the platform answered with counts where single runs were asked for', {
    why: 'it may do so for ranges over 24 hours, and this one was shorter',
    fix: 'try a shorter range: --since 1h',
  });
}
