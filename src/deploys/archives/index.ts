export {
  archiveFolders,
  findKeptBuilds,
  forgetArchives,
  listArchives,
  noteSick,
  readKeptFiles,
  whyNotUsable,
  withKeptArchive,
} from './archive-store.ts';
export { startKeeping } from './keep-archive.ts';
