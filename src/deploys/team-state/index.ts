/**
 * What machines of a team share on a volume, so that a pipeline that starts on a new machine knows what others did:
 * documents that are never changed, each a file of its own, and the archives that a rollback needs.
 */
export { documentName, documentTime } from './outbox.ts';
export { type TeamState, teamStateOf } from './team-state.ts';
