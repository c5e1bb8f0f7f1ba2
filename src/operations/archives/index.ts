export { archiveFolders, type KeptArchive } from './archive-store.ts';
export { forgetArchive, startKeeping } from './keep-archive.ts';
export { listArchives } from './list-archives.ts';
export { findKeptArchive, findOtherKept, whyNotUsable, withKeptArchive } from './use-archive.ts';
