export { forkPullRequest, previewedBranch } from './pull-request.ts';
export {
  type CheckedOut,
  countMissing,
  currentBranch,
  findDefaultBranch,
  isMerged,
  listBranches,
  listMainline,
  type Repository,
  readCheckedOut,
  readRepository,
} from './repository.ts';
export { withRevision } from './revision.ts';
