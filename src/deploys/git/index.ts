export { forkPullRequest, previewedBranch } from './pull-request.ts';
export {
  type CheckedOut,
  countMissing,
  currentBranch,
  findDefaultBranch,
  isIgnored,
  isMerged,
  listAhead,
  listBranches,
  listMainline,
  listRecent,
  mayConvert,
  type Repository,
  readCheckedOut,
  readRepository,
} from './repository.ts';
export { findRevision, readObjects, withRevision } from './revision.ts';
