import { listRuns, type Run } from '../../contract/runs.ts';
import { UnexpectedReplyError } from '../../errors.ts';
import { count } from '../../output/words.ts';
import type { FoundRuns, Search, WantedRuns } from './list.ts';
import { runState } from './state.ts';

/**
 * Reads the list of asynchronous runs, newest first, page after page back to the beginning of the range (wire §1b).
 * It takes no filter and no range: they are applied here.
 */
export async function asyncRuns({ api, project, onProgress }: Search, wanted: WantedRuns): Promise<FoundRuns> {
  const found = new Map<string, Run>();
  const tokens = new Set<string>();
  for (let nextToken: string | undefined; ; ) {
    const query = { asyncOnly: true, ...(nextToken && { nextToken }) };
    const page = await api(listRuns, { project, app: wanted.app, query });
    const items = page.items ?? [];
    for (const run of items) if (isWanted(run, wanted)) found.set(run.id, run);
    onProgress(count(found.size, 'run'));
    nextToken = page.nextToken || undefined;
    const oldest = items.at(-1);
    const past = oldest && createdAt(oldest) < wanted.since;
    if (!nextToken || past) return { runs: [...found.values()], total: found.size, more: false };
    if (found.size >= wanted.limit) return { runs: [...found.values()], total: found.size, more: true };
    if (tokens.has(nextToken)) throw new UnexpectedReplyError('the platform gives the same runs again and again');
    tokens.add(nextToken);
  }
}

/** A run that does not tell what is asked for is none of those. */
function isWanted(run: Run, { since, until, filters }: WantedRuns): boolean {
  return (
    within(createdAt(run), since, until) &&
    (filters.status === undefined || runState(run) === filters.status) &&
    (filters.statusCode === undefined || run.statusCode === filters.statusCode) &&
    within(run.coldstartTimeMs, filters.minStartupTime, filters.maxStartupTime) &&
    within(run.totalResponseTimeMs ?? run.responseTimeMs, filters.minResponseTime, filters.maxResponseTime)
  );
}

function createdAt(run: Run): number {
  return Date.parse(run.createdAt ?? '');
}

function within(value: number | null | undefined, least: number | undefined, most: number | undefined): boolean {
  if (least === undefined && most === undefined) return true;
  return (
    typeof value === 'number' &&
    value >= (least ?? Number.NEGATIVE_INFINITY) &&
    value <= (most ?? Number.POSITIVE_INFINITY)
  );
}
