import type { Api } from '../../api/client.ts';
import type { Run, RunsQuery } from '../../contract/runs.ts';

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
