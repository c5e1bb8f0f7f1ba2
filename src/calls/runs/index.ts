export { bucketMs, chooseBucketSize, readRunsChart } from './chart.ts';
export { forgetFailedCalls, maxFailedCalls, readFailedCall, recentMs, recordFailedCalls } from './failed-calls.ts';
export { commandAfter, fetchRun, fetchShownRun, readRunEnding, remoteRun, runEnding } from './fetch-run.ts';
export {
  describeGracePeriod,
  endText,
  type FinishedRun,
  type FollowRunOptions,
  finishedRun,
  followRun,
  type RunWait,
  startRunWait,
} from './follow-run.ts';
export { addOutcome, type Call, countErrors, findJobs, Jobs, kindOfRun } from './jobs.ts';
export { atPosition, readChart, readNewestRuns, readRunList, readRunPages, resolveRun } from './list-runs.ts';
export { withNewestRun } from './newest-run.ts';
export { type RunLog, readRunLog } from './run-log.ts';
export { hasEnded, hasSucceeded, readExitCode, runDocument, runHasFailed, runKey, runStatus } from './run-status.ts';
export { matches, type RunFilters, type RunSearchResult, searchRuns } from './search-runs.ts';
