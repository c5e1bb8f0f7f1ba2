export { type PulledWeights, type PullSummary, pullWeights } from './pull-weights.ts';
export { type VerifySummary, verifyWeights } from './verify-weights.ts';
