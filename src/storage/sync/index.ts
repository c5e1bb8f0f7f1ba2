export { type SyncSummary, sync, syncSummaryFields } from './sync.ts';
