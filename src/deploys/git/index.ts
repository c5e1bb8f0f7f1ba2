export {
  currentBranch,
  currentCommit,
  findMerged,
  forkPullRequest,
  isIgnored,
  listAhead,
  listRecent,
  listTracked,
  mayConvert,
  previewedBranch,
  type Refs,
  type Repository,
  readCheckedOut,
  readRefs,
  readRepository,
} from './repository.ts';
export { findRevision, readObjects, unshallow, withRevision } from './run-git.ts';
