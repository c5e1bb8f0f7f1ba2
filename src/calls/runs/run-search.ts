import type { Context } from '../../platform/context.ts';
import { outcomeWords, runOutcome } from '../../platform/contract/run-outcome.ts';
import type { Run, RunStatus, RunsQuery } from '../../platform/contract/runs.ts';

/** Which runs to find. Times in ms since 1970. */
export interface RunQuery {
  app: string;
  since: number;
  until: number;
  filters: RunFilters;
  /** Only runs that were called with `async=true`. */
  asyncOnly: boolean;
  /** Infinity for all. */
  limit: number;
}

export type RunFilters = Pick<
  RunsQuery,
  'status' | 'statusCode' | 'minStartupTime' | 'maxStartupTime' | 'minResponseTime' | 'maxResponseTime'
>;

export interface RunSearchResult {
  runs: Run[];
  /** Number of runs in the part of the range that was searched. */
  total: number;
  /** A part of the range was not searched, as the limit was reached. */
  hasMore: boolean;
  /** False if the platform announced more runs than it returned. */
  isComplete: boolean;
  /** The platform returned runs that were not asked for, which are not among these. */
  isUnfiltered?: boolean;
}

/** The fix for a list that does not end. */
export const fewerRunsFix = 'lower --limit, or shorten the range with --since';

export interface RunSearchContext extends Pick<Context, 'api' | 'project' | 'platformNow'> {
  onProgress: (text: string) => void;
}

type AskedRuns = Pick<RunQuery, 'since' | 'until' | 'filters'> & Partial<Pick<RunQuery, 'asyncOnly'>>;

/** Times of runs may be in whole seconds. */
const roundingMs = 1_000;

/**
 * Whether a run is one that was asked for: a server ignores parameters that it does not know. A run without a time may be
 * within any range, and one that does not say how it was called may be asynchronous. One without another value that a filter
 * needs does not match.
 */
export function matches(run: Run, { since, until, filters, asyncOnly }: AskedRuns): boolean {
  const at = Date.parse(run.createdAt ?? '');
  return (
    !(at < since - roundingMs || at > until + roundingMs) &&
    !(asyncOnly && run.async === false) &&
    (filters.status === undefined || hasStatus(run, filters.status)) &&
    (filters.statusCode === undefined || run.statusCode === filters.statusCode) &&
    isWithin(run.coldstartTimeMs, filters.minStartupTime, filters.maxStartupTime) &&
    isWithin(run.totalResponseTimeMs ?? run.responseTimeMs, filters.minResponseTime, filters.maxResponseTime)
  );
}

/** Runs of a chart do not say in which status they are while they are in progress (spec 2.6). */
function hasStatus(run: Run, wanted: RunStatus): boolean {
  const outcome = runOutcome(run);
  if (outcome === 'unknown') return false;
  if (outcome !== 'in progress') return outcomeWords[outcome] === wanted;
  return run.status ? run.status === wanted : !Object.values<string>(outcomeWords).includes(wanted);
}

function isWithin(value: number | null | undefined, min: number | undefined, max: number | undefined): boolean {
  if (min === undefined && max === undefined) return true;
  return (
    typeof value === 'number' &&
    value >= (min ?? Number.NEGATIVE_INFINITY) &&
    value <= (max ?? Number.POSITIVE_INFINITY)
  );
}
