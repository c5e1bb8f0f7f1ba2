export { deletePaths } from './delete-paths.ts';
export { usageOf } from './disk-usage.ts';
export { linkTo, sizeOnStorage } from './file-link.ts';
export { entryFacts, listPath } from './list-path.ts';
export { type Found, findFiles, pourFiles } from './read-files.ts';
export { removePaths } from './remove-paths.ts';
export { growVolume } from './resize-volume.ts';
export { volumeSizes } from './volume-sizes.ts';
export {
  findEntry,
  inLine,
  type Listed,
  listEntries,
  printed,
  type VolumeCalls,
  type VolumePath,
  volumePath,
  walkVolume,
} from './walk-volume.ts';
