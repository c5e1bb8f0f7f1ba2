/** Whether calls differ by more than chance: how often they fail, and how long they take. */
export { compareDurations, quantile } from './durations.ts';
export { compareErrors, type ErrorCount, fisherChance } from './error-rates.ts';
