export { addCause } from './add-cause.ts';
export { asSeen, type SeenInFiles } from './as-seen.ts';
export { explainLog, explainStart } from './explain-log.ts';
export type { Evidence, Explanation } from './explanation.ts';
export { asJson } from './last-error.ts';
export { isOfCode, locateCause } from './locate-cause.ts';
export type { FailureFacts } from './rule.ts';
export { findTracebacks } from './tracebacks.ts';
export { describeUnknown } from './unknown-failure.ts';
