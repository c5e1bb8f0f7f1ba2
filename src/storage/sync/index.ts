export { type SyncSummary, sync } from './sync.ts';
