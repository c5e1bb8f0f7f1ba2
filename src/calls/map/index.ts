export { type MapSummary, mapInputs } from './map-inputs.ts';
export { failureGroupFields } from './map-progress.ts';
