/**
 * Files and folders on this machine. Every file is written here: first under a random name, never through a symbolic link,
 * and renamed when it is complete.
 */
export { announce, readAnnouncements } from './announcements.ts';
export { appendToFileSync, openForAppend } from './append.ts';
export { claimTarget, type TargetClaim } from './claims.ts';
export { toDiskError, toDiskErrorOf } from './disk-error.ts';
export { sha256OfFile } from './file-hash.ts';
export { openPipeOrDevice, readFileOrPipeChunks } from './file-or-pipe.ts';
export { makeFolder, makePrivateFolder } from './folders.ts';
export { linkOrCopy } from './link-or-copy.ts';
export { lockHolder, removeDeadLocks, takeLock, waitForLock } from './lock.ts';
export { type NameProbe, nameKey, nameProbe } from './name-probe.ts';
export { readNamedFile, throwUnreadable } from './named-file.ts';
export { entriesByBytes, entriesIn, mayBeOtherBytes, type NamedEntry, namedByBytes, namesIn } from './names-in.ts';
export { NewFile, writeAtomically, writeFileAtomic, writeFileAtomicSync } from './new-file.ts';
export { NewSmallFile } from './new-small-file.ts';
export { removeOldFiles } from './old-files.ts';
export { type OpenedFolder, OpenedFolders } from './opened-folders.ts';
export { isAlive, newOwnerName, parseOwnerName } from './owner.ts';
export { readToEnd } from './read-to-end.ts';
export { openRegularSync, readRegularBytesSync, readRegularSync } from './regular-file.ts';
export { openRegular, readRegular } from './regular-handle.ts';
export { replaceFile } from './replace.ts';
export { isFileOfStream } from './streams.ts';
export { isNamedTemporary, removeOrphanedFiles, TemporaryNames, temporaryFilter } from './temporary.ts';
export { TemporaryFolder } from './temporary-folder.ts';
export { checkWritableByUserOnly, findWritableByOthers } from './writable-by-others.ts';
