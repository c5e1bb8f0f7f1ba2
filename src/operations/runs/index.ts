export { bucketMs, chooseBucketSize, readRunsChart } from './chart.ts';
export { fetchRun } from './fetch-run.ts';
export { type FinishedRun, followRun } from './follow-run.ts';
export { collectOutput, relayOutput } from './relay-output.ts';
export { remoteRun } from './remote-run.ts';
export type { RunLine } from './run-log.ts';
export type { RunFilters, RunSearchResult } from './run-search.ts';
export { displayStatus, fillStatus, hasEnded, runStatus } from './run-status.ts';
export { searchRuns } from './search-runs.ts';
