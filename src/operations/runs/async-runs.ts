import { listRuns, type Run } from '../../contract/runs.ts';
import { count } from '../../output/format.ts';
import { type PagePosition, readPages } from '../replies/index.ts';
import { fewerRunsFix, type RunQuery, type RunSearchContext, type RunSearchResult } from './run-search.ts';
import { runKey, runStatus } from './run-status.ts';

/**
 * Reads the list of asynchronous runs, newest first, page by page back to the start of the range. The endpoint has no
 * filter and no range, so both are applied here.
 */
export async function searchAsyncRuns(
  { api, project, onProgress }: RunSearchContext,
  wanted: RunQuery,
): Promise<RunSearchResult> {
  const read = async (place: PagePosition | undefined) => {
    const query = { asyncOnly: true, ...(place && 'token' in place && { nextToken: place.token }) };
    return api(listRuns, { project, app: wanted.app, query });
  };
  const runs: Run[] = [];
  const pages = readPages({ read, key: runKey, by: 'token', fix: fewerRunsFix });
  for (;;) {
    const next = await pages.next();
    if (next.done) return { runs, total: runs.length, hasMore: false, isComplete: next.value };
    const { items, page } = next.value;
    runs.push(...items.filter((run) => isWanted(run, wanted)));
    onProgress(count(runs.length, 'run'));
    const oldest = page.items.at(-1);
    const isPast = oldest !== undefined && createdAt(oldest) < wanted.since;
    if (!page.nextToken || isPast) return { runs, total: runs.length, hasMore: false, isComplete: true };
    if (runs.length >= wanted.limit) return { runs, total: runs.length, hasMore: true, isComplete: true };
  }
}

/** A run that does not tell what is asked for is none of those. */
function isWanted(run: Run, { since, until, filters }: RunQuery): boolean {
  return (
    within(createdAt(run), since, until) &&
    (filters.status === undefined || runStatus(run) === filters.status) &&
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
