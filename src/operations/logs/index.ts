export { appLogSource, toTimestamp } from './app-log.ts';
export { findContainer } from './find-container.ts';
export { followLog } from './follow-log.ts';
export { LogGaps } from './gaps.ts';
export { readForward } from './history.ts';
export { buildFrameLine, buildLine, type LogLine, splitLogText, withoutSplitSecrets } from './log-line.ts';
export type { LogSource } from './log-source.ts';
export { type ReadLine, type ReadLogOptions, readLog } from './read-log.ts';
export { SeenLines } from './seen-lines.ts';
