export { type OwnFlag, parseProgramArguments, readArguments } from './program-arguments.ts';
export { readProgram } from './read-program.ts';
export { followProgram, type StartedProgram, startProgram } from './start-run.ts';
