export { readArguments } from './arguments.ts';
export { type FinishedRun, followRun } from './follow-run.ts';
export { readProgram } from './read-program.ts';
export { gathered, relay } from './relay-output.ts';
export type { RunLine } from './run-log.ts';
export { follow, type StartedRun, start } from './start-run.ts';
