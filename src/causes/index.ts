export { addCause } from './add-cause.ts';
export { locateFix } from './dockerfile-fix.ts';
export { explainLog } from './explain-log.ts';
export type { Evidence, Explanation } from './explanation.ts';
export { readConfig } from './read-config.ts';
export type { FailureFacts } from './rule.ts';
export { findTracebacks } from './tracebacks.ts';
export { describeUnknown } from './unknown-failure.ts';
