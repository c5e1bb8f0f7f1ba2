export { type CopySummary, copy, copyFiles } from './copy.ts';
export type { CopyContext } from './copy-context.ts';
export type { CopyOptions } from './copy-options.ts';
export {
  type CopyEndSource,
  type CopyLocation,
  type CopyPaths,
  type CopyTarget,
  formatLocation,
  inspectSource,
  isDevice,
  isDownload,
  parseCopyPaths,
  resolveTarget,
} from './copy-paths.ts';
export type { FailedFile, RenamedEntry } from './copy-progress.ts';
export { maxListedPaths } from './copy-texts.ts';
export { distinctNames } from './distinct-names.ts';
export { findSourceFiles, sourceOf } from './find-source-files.ts';
export type { FoundEntry, FoundFile, UncopiedEntry } from './found-entry.ts';
export { checkKeptName } from './name-clashes.ts';
export { createPathFilter, type PathFilter } from './path-filter.ts';
export { copyFromStdin, copyToDevice, copyToStdout } from './streams.ts';
export { diskToleranceMs, isUnchanged, parseTimestamp } from './unchanged.ts';
export { isDeletedMeanwhile, walkLocal } from './walk-local.ts';
export { webFileSize } from './web-content.ts';
export { isWebUrl, parseWebSource, webFileName, withoutQuery } from './web-source.ts';
