export { archiveFolders, forgetArchive, listArchives } from './archive-store.ts';
export { startKeeping } from './keep-archive.ts';
export { findKeptBuilds, readKeptFiles, whyNotUsable, withKeptArchive } from './places.ts';
