export { type CopySummary, copy, copyFiles, copyInTurn, copySummaryFields, inTurn } from './copy.ts';
export {
  bareTargetError,
  type CopyEndSource,
  type CopyLocation,
  type CopyPaths,
  type CopyTarget,
  formatLocation,
  inspectSource,
  isDownload,
  isWebUrl,
  parseCopyPaths,
  parseWebSource,
  resolveTarget,
  typedLocation,
  webFileName,
  withoutQuery,
} from './copy-paths.ts';
export { type FailedFile, failedFileFields, maxListedPaths } from './copy-progress.ts';
export { distinctNames } from './distinct-names.ts';
export { findSourceFiles, isDeletedMeanwhile, sourceOf, walkLocal } from './find-source-files.ts';
export { ListedFiles } from './listed-files.ts';
export { createPathFilter, type PathFilter } from './path-filter.ts';
export {
  type CopyOptions,
  diskToleranceMs,
  type FoundEntry,
  type FoundFile,
  isUnchanged,
  type UncopiedEntry,
  usualCopy,
} from './ports.ts';
export { copyFromStdin, copyToStdout } from './streams.ts';
export { webFileSize } from './web-content.ts';
