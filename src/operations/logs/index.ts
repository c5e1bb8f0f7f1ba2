export { appLog, rfc3339 } from './app-log.ts';
export { followLog } from './follow.ts';
export { Gaps } from './gaps.ts';
export { forwards } from './history.ts';
export { buildFrameLine, buildLine, type LogLine, logLines } from './line.ts';
export { type Asked, readLog, type ShownLine } from './read-log.ts';
export { Seen } from './seen.ts';
export type { LogSource } from './source.ts';
