/**
 * Files and folders on this machine. Every file that gantry writes is put in place here: under a random name first,
 * never through a link, and under its own name only when it is whole.
 */
export { type Claim, claimTarget } from './claims.ts';
export { diskFailure } from './failure.ts';
export { makeFolder, makePrivateFolder } from './folders.ts';
export { holderOf, removeDeadLocks, takeLock, waitForLock } from './lock.ts';
export { type NameProbe, nameKey, nameProbe } from './name-probe.ts';
export { namedPieces, openNamed, readNamed } from './named-file.ts';
export { NewFile, writeInPlace, writeWhole, writeWholeSync } from './new-file.ts';
export { type OpenedFolder, OpenedFolders } from './opened-folders.ts';
export { openRegularSync, readRegularSync } from './regular-file.ts';
export { openRegular, readRegular } from './regular-handle.ts';
export { isNamedTemporary, removeLeftovers, TemporaryNames, temporaryFilter } from './temporary.ts';
export { TemporaryFolder } from './temporary-folder.ts';
