export {
  archiveFolders,
  findKeptBuilds,
  forgetArchive,
  listArchives,
  readKeptFiles,
  whyNotUsable,
  withKeptArchive,
} from './archive-store.ts';
export { startKeeping } from './keep-archive.ts';
