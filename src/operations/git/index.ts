export { type Revision, withRevision } from './revision.ts';
