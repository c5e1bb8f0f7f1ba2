export type { KeptArchive } from './archive-store.ts';
export { forgetArchive, startKeeping } from './keep-archive.ts';
export { type ListedArchive, listArchives, pruneArchives } from './list-archives.ts';
export { findKeptArchive, withKeptArchive } from './use-archive.ts';
