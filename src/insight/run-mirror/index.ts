/** A copy of an app's runs on this machine, for questions about many of them. */
export type { RunDay } from './day-file.ts';
export { exportRuns, type RunFormat, runFormats } from './export-runs.ts';
export { listKeptRuns } from './kept-runs.ts';
export { type CallRow, callsWithin, type RunRange, readRunDays, rowsWithin } from './read-run-days.ts';
