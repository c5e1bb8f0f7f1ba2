import { getRunsChart, type Run, type RunsChart } from '../../contract/runs.ts';
import { UnexpectedReplyError } from '../../errors.ts';
import { count } from '../../output/words.ts';
import type { FoundRuns, Search, WantedRuns } from './list.ts';

/** The platform gives single runs for a range of this length, and counts for a longer one (spec 4.6). */
const longestWindowMs = 24 * 3_600_000;
const windowsAtOnce = 4;
const pageSize = { least: 100, most: 1_000 };

/** Cuts the range into windows of at most 24 hours and reads them, the newest first, until there are enough runs. */
export async function runsByWindow(search: Search, wanted: WantedRuns): Promise<FoundRuns> {
  const windows = windowsOf(wanted);
  const found = new Map<string, Run>();
  let total = 0;
  let read = 0;
  while (read < windows.length && found.size < wanted.limit) {
    const missing = wanted.limit - found.size;
    const next = windows.slice(read, read + windowsToRead(missing, read, found.size));
    for (const window of await Promise.all(next.map((range) => readWindow(search, wanted, range, missing)))) {
      // Where two windows meet, both may have the same run.
      const twice = window.runs.filter((run) => found.has(run.id)).length;
      for (const run of window.runs) found.set(run.id, run);
      total += window.total - twice;
    }
    read += next.length;
    search.onProgress(`${count(found.size, 'run')} in ${read} of ${count(windows.length, 'day')}`);
  }
  return { runs: [...found.values()], total, more: read < windows.length };
}

interface Window {
  start: number;
  end: number;
}

function windowsOf({ since, until }: WantedRuns): Window[] {
  const windows: Window[] = [];
  let end = until;
  do {
    const start = Math.max(since, end - longestWindowMs);
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
  { api, project }: Search,
  { app, filters }: WantedRuns,
  { start, end }: Window,
  enough: number,
): Promise<{ runs: Run[]; total: number }> {
  const limit = Math.min(pageSize.most, Math.max(pageSize.least, enough));
  const range = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString(), limit };
  const found = new Map<string, Run>();
  let total = Number.POSITIVE_INFINITY;
  for (let offset = 0; ; ) {
    const query = { ...range, ...(offset > 0 && { offset }), ...filters };
    const page = await api(getRunsChart, { project, app, query });
    const items = runsOf(page);
    for (const run of items) found.set(run.id, run);
    // Runs that match no longer have let those behind them move up, past the place where we go on: step back.
    const gone = offset > 0 ? total - (page.total ?? total) : 0;
    total = Math.min(total, page.total ?? total);
    if (gone > 0) {
      offset = Math.max(0, offset - gone);
      continue;
    }
    offset += items.length;
    if (items.length === 0 || found.size >= enough || !goesOn(page, offset, limit)) break;
  }
  return { runs: [...found.values()], total: Number.isFinite(total) ? Math.max(total, found.size) : found.size };
}

function runsOf({ items, aggregatedData }: RunsChart): Run[] {
  if (items || !aggregatedData) return items ?? [];
  throw new UnexpectedReplyError('the platform answered with counts where single runs were asked for', {
    why: 'it may do so for ranges over 24 hours, and this one was shorter',
    fix: 'try a shorter range: --since 1h',
  });
}

/** The platform tells by a token or by the number of all; when by neither, a full page suggests it. */
function goesOn({ nextToken, total, items }: RunsChart, offset: number, limit: number): boolean {
  return Boolean(nextToken) || (total ? offset < total : items?.length === limit);
}
