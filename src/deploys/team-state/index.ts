/** What machines of a team share on a volume: documents that never change, and archives for rollbacks. */
export { documentName, documentTime } from './outbox.ts';
export { type TeamState, teamStateOf } from './team-state.ts';
