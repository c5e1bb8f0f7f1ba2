export { cancellableRun, stopRun } from './cancel-run.ts';
export { bucketMs, readRunsChart, suitableBucket } from './chart.ts';
export { findRuns } from './find-runs.ts';
export { askedRun } from './get-run.ts';
export { hasEnded, runState, shownStatus, withStatus } from './run-state.ts';
export type { FoundRuns, RunFilters } from './search.ts';
