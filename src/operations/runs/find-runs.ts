import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { latestFirst } from '../../output/format.ts';
import { searchAsyncRuns } from './async-runs.ts';
import type { RunQuery, RunSearchResult } from './run-search.ts';
import { searchTimeWindows } from './time-windows.ts';

/**
 * Finds single runs over a range of any length: newest first, none twice, no more than wanted. Throws UsageError when
 * the range ends before it begins, UnexpectedReplyError when the platform gives counts in place of runs.
 */
export async function findRuns(context: Context, wanted: RunQuery): Promise<RunSearchResult> {
  if (wanted.until < wanted.since) throw new UsageError('the range ends before it begins: look at --since and --until');
  const { project, progress, signal } = context;
  const over = new AbortController();
  const api = context.apiWithSignal(AbortSignal.any([signal, over.signal]));
  const step = progress.step(`Reading runs of ${wanted.app}`);
  const search = { api, project, onProgress: (text: string) => step.update({ text }) };
  try {
    const found = await (wanted.asyncOnly ? searchAsyncRuns : searchTimeWindows)(search, wanted);
    return { ...found, runs: found.runs.sort(latestFirst((run) => run.createdAt)).slice(0, wanted.limit) };
  } finally {
    step.clear();
    // When one call fails, those beside it are of no use.
    over.abort();
  }
}
