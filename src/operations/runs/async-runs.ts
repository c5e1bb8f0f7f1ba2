import { listRuns, type Run } from '../../contract/runs.ts';
import { count } from '../../output/format.ts';
import { type PagePosition, readPages } from '../replies/index.ts';
import { fewerRunsFix, type RunQuery, type RunSearchContext, type RunSearchResult } from './run-search.ts';
import { runKey, runStatus } from './run-status.ts';

/**
 * Reads the list of asynchronous runs, newest first, back to the start of the range. The endpoint takes no filter and no
 * range, so both are applied here.
 */
export async function searchAsyncRuns(
  { api, project, onProgress }: RunSearchContext,
  query: RunQuery,
): Promise<RunSearchResult> {
  const read = async (position: PagePosition | undefined) => {
    const params = { asyncOnly: true, ...(position && 'token' in position && { nextToken: position.token }) };
    return api(listRuns, { project, app: query.app, query: params });
  };
  const runs: Run[] = [];
  const pages = readPages({ read, key: runKey, by: 'token', fix: fewerRunsFix });
  for (;;) {
    const next = await pages.next();
    if (next.done) return { runs, total: runs.length, hasMore: false, isComplete: next.value };
    const { items, page } = next.value;
    runs.push(...items.filter((run) => matches(run, query)));
    onProgress(count(runs.length, 'run'));
    const oldest = page.items.at(-1);
    const isPast = oldest !== undefined && createdAt(oldest) < query.since;
    if (!page.nextToken || isPast) return { runs, total: runs.length, hasMore: false, isComplete: true };
    if (runs.length >= query.limit) return { runs, total: runs.length, hasMore: true, isComplete: true };
  }
}

/** A run without a value that a filter needs does not match. */
function matches(run: Run, { since, until, filters }: RunQuery): boolean {
  return (
    isWithin(createdAt(run), since, until) &&
    (filters.status === undefined || runStatus(run) === filters.status) &&
    (filters.statusCode === undefined || run.statusCode === filters.statusCode) &&
    isWithin(run.coldstartTimeMs, filters.minStartupTime, filters.maxStartupTime) &&
    isWithin(run.totalResponseTimeMs ?? run.responseTimeMs, filters.minResponseTime, filters.maxResponseTime)
  );
}

function createdAt(run: Run): number {
  return Date.parse(run.createdAt ?? '');
}

function isWithin(value: number | null | undefined, min: number | undefined, max: number | undefined): boolean {
  if (min === undefined && max === undefined) return true;
  return (
    typeof value === 'number' &&
    value >= (min ?? Number.NEGATIVE_INFINITY) &&
    value <= (max ?? Number.POSITIVE_INFINITY)
  );
}
