export {
  archiveFolders,
  findKeptBuilds,
  forgetArchives,
  listArchives,
  readKeptFiles,
  whyNotUsable,
  withKeptArchive,
} from './archive-store.ts';
export { startKeeping } from './keep-archive.ts';
