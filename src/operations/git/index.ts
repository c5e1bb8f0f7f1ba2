export {
  type CheckedOut,
  currentBranch,
  findDefaultBranch,
  isMerged,
  listBranches,
  type Repository,
  readCheckedOut,
  readRepository,
} from './repository.ts';
export type { Revision } from './revision.ts';
export { withRevision } from './revision.ts';
