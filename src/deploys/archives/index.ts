export {
  archiveFolders,
  forgetArchives,
  listArchives,
  readKeptFiles,
  whyNotUsable,
  withKeptArchive,
} from './archive-store.ts';
export { keepArchive, shareArchive } from './keep-archive.ts';
