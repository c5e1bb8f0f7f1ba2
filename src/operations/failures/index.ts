export { addCause } from './add-cause.ts';
export { explainLog } from './explain-log.ts';
export type { Evidence, Explanation } from './explanation.ts';
export type { FailureFacts } from './facts.ts';
export { readConfig } from './read-config.ts';
export { describeUnknown } from './unknown-failure.ts';
