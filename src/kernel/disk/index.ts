/** Every file is written here: under a random name, never through a symbolic link, and renamed when it is complete. */
export { announce, readAnnouncements } from './announcements.ts';
export { appendToFileSync, openForAppend } from './append.ts';
export { claimTarget } from './claims.ts';
export * from './file-or-pipe.ts';
export * from './folders.ts';
export { type KeptFile, keptFiles, trimFiles } from './kept-files.ts';
export { type Lock, lockHolder, removeDeadLocks, takeLock, waitForLock } from './lock.ts';
export { type NameProbe, nameKey, nameProbe } from './name-probe.ts';
export {
  linkOrCopy,
  NewFile,
  NewSmallFile,
  writeAtomically,
  writeFileAtomic,
  writeFileAtomicSync,
} from './new-file.ts';
export { type OpenedFolder, OpenedFolders } from './opened-folders.ts';
export { isAlive, newOwnerName, parseOwnerName } from './owner.ts';
export { readToEnd } from './read-to-end.ts';
export { openRegularSync, readJsonSync, readRegularBytesSync, readRegularSync } from './regular-file.ts';
export { replaceFile } from './replace.ts';
export { isFileOfStream, sha256OfFile } from './streams.ts';
export {
  removeOrphanedFiles,
  TemporaryFolder,
  TemporaryNames,
  temporaryFilter,
} from './temporary.ts';
