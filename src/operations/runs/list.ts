import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import type { Run, RunsQuery } from '../../contract/runs.ts';
import { UsageError } from '../../errors.ts';
import { newestFirst } from '../../output/words.ts';
import { asyncRuns } from './async.ts';
import { runsByWindow } from './windows.ts';

/** Which runs are wanted. Times in milliseconds since 1970. */
export interface WantedRuns {
  app: string;
  since: number;
  until: number;
  filters: RunFilters;
  /** Only those that were called with `async=true`. */
  asyncOnly: boolean;
  /** Endless for all. */
  limit: number;
}

export type RunFilters = Pick<
  RunsQuery,
  'status' | 'statusCode' | 'minStartupTime' | 'maxStartupTime' | 'minResponseTime' | 'maxResponseTime'
>;

export interface FoundRuns {
  runs: Run[];
  /** Those there are in the part of the range that was looked at. */
  total: number;
  /** Whether a part of the range was not looked at: there were enough without it. */
  more: boolean;
  /** False when the platform announced more runs than it gave. */
  isWhole: boolean;
}

/** The way out of a list that does not end. */
export const fewerRuns = 'choose fewer runs: --limit, or a shorter time with --since';

/** What looking for runs takes. */
export interface Search {
  api: Api;
  project: string;
  onProgress: (text: string) => void;
}

/**
 * Finds single runs over a range of any length: newest first, none twice, no more than wanted. Throws UsageError when
 * the range ends before it begins, UnexpectedReplyError when the platform gives counts in place of runs.
 */
export async function findRuns(context: Context, wanted: WantedRuns): Promise<FoundRuns> {
  if (wanted.until < wanted.since) throw new UsageError('the range ends before it begins: look at --since and --until');
  const { project, progress, signal } = context;
  const over = new AbortController();
  const api = context.apiUntil(AbortSignal.any([signal, over.signal]));
  const step = progress.step(`Reading runs of ${wanted.app}`);
  const search = { api, project, onProgress: (text: string) => step.update({ text }) };
  try {
    const found = await (wanted.asyncOnly ? asyncRuns : runsByWindow)(search, wanted);
    return { ...found, runs: found.runs.sort(newestFirst((run) => run.createdAt)).slice(0, wanted.limit) };
  } finally {
    step.clear();
    // When one call fails, those beside it are of no use.
    over.abort();
  }
}
