export { type MapSummary, mapInputs } from './map-inputs.ts';
