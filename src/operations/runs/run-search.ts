import type { Api } from '../../api/client.ts';
import type { Run, RunsQuery } from '../../contract/runs.ts';

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
}

/** The fix for a list that does not end. */
export const fewerRunsFix = 'lower --limit, or shorten the range with --since';

export interface RunSearchContext {
  api: Api;
  project: string;
  onProgress: (text: string) => void;
}
