export { type Revision, withRevision } from './revision.ts';
export { git, tryGit } from './run-git.ts';
