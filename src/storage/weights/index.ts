export { type PulledWeights, type PullSummary, pullFields, pullWeights } from './pull-weights.ts';
export { type VerifySummary, verifyFields, verifyWeights } from './verify-weights.ts';
