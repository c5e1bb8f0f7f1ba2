export { type CopySummary, copy, copyFound } from './copy.ts';
export type { Job } from './copy-context.ts';
export {
  absolute,
  isDevice,
  lookAt,
  type Place,
  readWords,
  type Source,
  settleTarget,
  type Target,
  type Words,
} from './copy-paths.ts';
export { type Failure, listed, printable, type Renamed, tallyText } from './copy-progress.ts';
export { distinctNames } from './distinct-names.ts';
export { type Filter, filterOf } from './filter.ts';
export { findFiles } from './find-files.ts';
export type { FoundFile, Obstacle } from './found-file.ts';
export type { CopyOptions } from './options.ts';
export { copyFromStdin, copyToDevice, copyToStdout } from './streams.ts';
export { diskTolerance, isCurrent, timeOf } from './unchanged.ts';
export { walkLocal } from './walk-local.ts';
