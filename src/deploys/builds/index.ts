export { compareListings, type FileChanges, unchangedFiles } from './compare-listings.ts';
export { fetchBuild, readBuildEnding } from './fetch-build.ts';
export { findListedBuild, latestBuildOf, resolveBuild } from './find-build.ts';
export { type FollowBuildOptions, followBuild } from './follow-build.ts';
export { remoteBuild } from './remote-build.ts';
export { type BuildFile, parseZipContents } from './zip-contents.ts';
