export { type MapSummary, mapInputs } from './map-inputs.ts';
export type { FailureGroup } from './map-progress.ts';
