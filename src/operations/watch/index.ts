/** Whether a new build is healthy: calls of it, its replicas, and the calls that others make. */
export { doubtHealth } from './doubt-health.ts';
export { type Before, lookBefore } from './look.ts';
export { lookForReplaced } from './replaced.ts';
export { goneMs, ReplicaOwners } from './replica-owners.ts';
export { runSmokeTests } from './run-smoke-tests.ts';
export { parseSmokeTest, type SmokeTest } from './smoke-test.ts';
export { summary, type Watched, type WatchOptions, watchBuild } from './watch-build.ts';
