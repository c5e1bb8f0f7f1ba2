export type { FailureGroup } from './failure-groups.ts';
export { type MapSummary, mapInputs } from './map-inputs.ts';
