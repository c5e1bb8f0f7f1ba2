export {
  type BuildFile,
  compareListings,
  type FileChanges,
  parseZipContents,
  unchangedFiles,
} from './compare-listings.ts';
export {
  fetchBuild,
  findListedBuild,
  latestBuildOf,
  readBuildEnding,
  remoteBuild,
  resolveBuild,
} from './fetch-build.ts';
export { type FollowBuildOptions, followBuild } from './follow-build.ts';
