/**
 * What is known of an app: what was sent, what served, what was found of it. An append-only memory on this machine, which
 * every command asks instead of guessing from times and defaults.
 */
export {
  type AppHistory,
  type BuildCommit,
  changedSettings,
  clockErrorMs,
  type DeployedSettings,
  hardwareFields,
  type ListedEvent,
  noCommit,
  scalingFields,
  sentSettings,
  settingKey,
  type WithCommit,
} from './app-history.ts';
export type { EventOf, Verdict } from './event-log.ts';
export {
  allApps,
  forgetHistory,
  readHistory,
  readJobs,
  readOwnHistory,
  recordEvent,
  recordLook,
  settleRollbacks,
} from './history.ts';
