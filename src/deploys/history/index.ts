/** What was sent of an app, what served and what was found: no command guesses it from times and defaults. */
export {
  type AppHistory,
  type BuildCommit,
  clockErrorMs,
  commitShape,
  type DeployedSettings,
  type ListedEvent,
  noCommit,
  type WithCommit,
} from './app-history.ts';
export type { EventOf } from './event-log.ts';
export { changedSettings, hardwareFields, scalingFields, sentSettings, settingKey } from './followed-settings.ts';
export {
  allApps,
  forgetHistory,
  readHistory,
  readJobs,
  readOwnHistory,
  recordEnds,
  recordEvent,
  recordLook,
} from './history.ts';
