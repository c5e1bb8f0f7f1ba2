export {
  currentBranch,
  findDefaultBranch,
  isMerged,
  listBranches,
  type Repository,
  readRepository,
} from './repository.ts';
export type { Revision } from './revision.ts';
export { withRevision } from './revision.ts';
