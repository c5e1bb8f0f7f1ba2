import type { Api } from '../../api/client.ts';
import type { Run, RunsQuery } from '../../contract/runs.ts';

/** Which runs are wanted. Times in milliseconds since 1970. */
export interface RunQuery {
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

export interface RunSearchResult {
  runs: Run[];
  /** Those there are in the part of the range that was looked at. */
  total: number;
  /** Whether a part of the range was not looked at: there were enough without it. */
  hasMore: boolean;
  /** False when the platform announced more runs than it gave. */
  isComplete: boolean;
}

/** The way out of a list that does not end. */
export const fewerRunsFix = 'choose fewer runs: --limit, or a shorter time with --since';

/** What looking for runs takes. */
export interface RunSearchContext {
  api: Api;
  project: string;
  onProgress: (text: string) => void;
}
