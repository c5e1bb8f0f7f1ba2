export {
  type BuildFile,
  changedPaths,
  compareListings,
  type FileChanges,
  fileChangeFields,
  type Proof,
  parseZipContents,
  proofs,
  unchangedFiles,
} from './compare-listings.ts';
export {
  type FollowBuildOptions,
  fetchBuild,
  findListedBuild,
  followBuild,
  latestBuildOf,
  listFiles,
  readBuildEnding,
  remoteBuild,
  resolveBuild,
} from './follow-build.ts';
