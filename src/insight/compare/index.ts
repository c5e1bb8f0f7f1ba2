/** Whether a build is worse than another one: its calls, its starts, its errors, and what was changed. */
export { compareBuilds } from './compare-builds.ts';
export { type BuildVerdict, buildVerdicts, type Comparison, type Durations } from './comparison.ts';
export { curvePoints } from './judge-calls.ts';
