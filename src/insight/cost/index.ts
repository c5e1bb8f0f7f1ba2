export { type Bill, billOf, maxReplayError, offBy } from './bill.ts';
export type { AppCostReport, CostReport, DayCost, Figure } from './cost-report.ts';
export { checkHourlyBound } from './hourly-bound.ts';
export { cooldownWord, leastSavedCents, monthMs, priceSentence } from './price-sentence.ts';
export { readCost } from './read-cost.ts';
export { median } from './replica-time.ts';
