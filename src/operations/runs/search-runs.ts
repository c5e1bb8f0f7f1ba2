import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { latestFirst } from '../../output/format.ts';
import { searchAsyncRuns } from './async-runs.ts';
import type { RunQuery, RunSearchResult } from './run-search.ts';
import { searchTimeWindows } from './time-windows.ts';

/**
 * Finds runs over a range of any length, newest first, without duplicates. Throws UsageError if the range ends before it
 * begins, UnexpectedReplyError if the platform returns counts instead of runs.
 */
export async function searchRuns(context: Context, query: RunQuery): Promise<RunSearchResult> {
  if (query.until < query.since) throw new UsageError('invalid range: --until is before --since');
  const { project, progress, signal } = context;
  const done = new AbortController();
  const api = context.apiWithSignal(AbortSignal.any([signal, done.signal]));
  const step = progress.step(`Reading runs of ${query.app}`);
  const search = { api, project, onProgress: (text: string) => step.update({ text }) };
  try {
    const found = await (query.asyncOnly ? searchAsyncRuns : searchTimeWindows)(search, query);
    return { ...found, runs: found.runs.sort(latestFirst((run) => run.createdAt)).slice(0, query.limit) };
  } finally {
    step.clear();
    // If one request fails, the others are useless.
    done.abort();
  }
}
