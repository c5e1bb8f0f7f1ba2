export { formatRemotePath } from '../transfer/remote-path.ts';
export { deletePaths } from './delete-paths.ts';
export { diskUsage, entryUsageFields, listPath, type PathEntry, pathEntryFields } from './list-path.ts';
export { parseVolumes, type VolumeAmount } from './parse-volumes.ts';
export {
  findRemoteFiles,
  type RemoteFile,
  streamFiles,
  urlRequester,
  whileConnected,
} from './read-files.ts';
export { removalFields, removePaths } from './remove-paths.ts';
export { growVolume } from './resize-volume.ts';
export {
  checkVolume,
  findEntry,
  type ListedEntry,
  listEntries,
  listIfExists,
  listNames,
  parseVolumePath,
  singleLine,
  unreadEntriesError,
  type VolumeContext,
  type VolumePath,
  type WalkedFile,
  walkVolume,
} from './walk-volume.ts';
