import { UsageError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { isAbsent, isPast, newestFirst, readRunList } from './list-runs.ts';
import { matches, type RunQuery, type RunSearchContext, type RunSearchResult } from './run-search.ts';
import { searchTimeWindows } from './time-windows.ts';

/**
 * Finds runs over a range of any length, newest first, without duplicates. Throws UsageError if the range ends before it
 * begins, UnexpectedReplyError if the platform returns counts instead of runs.
 */
export async function searchRuns(context: Context, query: RunQuery): Promise<RunSearchResult> {
  if (query.until < query.since) throw new UsageError('invalid range: --until is before --since');
  const { project, progress, signal, platformNow } = context;
  const done = new AbortController();
  const api = context.apiWithSignal(AbortSignal.any([signal, done.signal]));
  const step = progress.step(`Reading runs of ${query.app}`);
  const search = { api, project, platformNow, onProgress: (text: string) => step.update({ text }) };
  try {
    const searched = await (query.asyncOnly ? searchList(search, query) : searchChart(search, query));
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

/** Where the platform has no chart, its list. */
async function searchChart(search: RunSearchContext, query: RunQuery): Promise<RunSearchResult> {
  return searchTimeWindows(search, query).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
    return searchList(search, query);
  });
}

/** The list takes no filter and no range: both are applied here. */
async function searchList(search: RunSearchContext, query: RunQuery): Promise<RunSearchResult> {
  const { app, asyncOnly, limit, since } = query;
  let hasOlder = true;
  let read = 0;
  let matching = 0;
  const { runs, hasMore, isComplete } = await readRunList(search, app, {
    asyncOnly,
    isEnough(page, all) {
      search.onProgress(count(all.length, 'run'));
      matching += all.slice(read).filter((run) => matches(run, query)).length;
      read = all.length;
      hasOlder = !isPast(page.slice(-1), since);
      return isPast(page, since) || matching >= limit;
    },
  });
  const matchingRuns = runs.filter((run) => matches(run, query));
  return { runs: matchingRuns, total: matchingRuns.length, hasMore: hasMore && hasOlder, isComplete };
}
