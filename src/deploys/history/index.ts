/** What was sent of an app, what served and what was found: no command guesses it from times and defaults. */
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
