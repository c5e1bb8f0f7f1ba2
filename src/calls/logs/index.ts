export { endingOf, type LogEnding, msToSettle } from './ending.ts';
export { type LogLine, splitLogText } from './log-line.ts';
export type { LogSource } from './log-source.ts';
export { type AppLogFilter, appLogSource, buildLogSource, findContainer } from './log-source.ts';
export { readLog, readLogText } from './read-log.ts';
export { withWholeTracebacks } from './whole-tracebacks.ts';
export { type FollowedLog, readFailureLog, readLogTail, readWorkLog, type WorkLine, WorkLog } from './work-log.ts';
