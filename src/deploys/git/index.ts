export {
  currentBranch,
  findDefaultBranch,
  forkPullRequest,
  isIgnored,
  isMerged,
  listAhead,
  listBranches,
  listMainline,
  listRecent,
  mayConvert,
  previewedBranch,
  type Repository,
  readCheckedOut,
  readRepository,
} from './repository.ts';
export { findRevision, readObjects, withRevision } from './run-git.ts';
