export { readArguments } from './arguments.ts';
export { type FinishedRun, followRun } from './follow-run.ts';
export { readProgram } from './read-program.ts';
export { collectOutput, relayOutput } from './relay-output.ts';
export type { RunLine } from './run-log.ts';
export { followProgram, type StartedProgram, startProgram } from './start-run.ts';
