export { bucketMs, chooseBucketSize, readRunsChart } from './chart.ts';
export { fetchRun, remoteRun } from './fetch-run.ts';
export { findRuns } from './find-runs.ts';
export type { RunFilters, RunSearchResult } from './run-search.ts';
export { displayStatus, fillStatus, hasEnded, runStatus } from './run-status.ts';
