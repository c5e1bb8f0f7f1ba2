export { appLogSource } from './app-log.ts';
export { buildLogSource } from './build-log.ts';
export { endingOf, type LogEnding } from './ending.ts';
export { findContainer } from './find-container.ts';
export { splitLogText } from './log-line.ts';
export type { LogSource } from './log-source.ts';
export { readFailureLog, readLogTail } from './log-tail.ts';
export { type ReadLine, type ReadLogOptions, readLog } from './read-log.ts';
export { type WorkLine, WorkLog } from './work-log.ts';
