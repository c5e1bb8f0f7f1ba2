/**
 * What is known of an app: what was sent, what served, what was found of it. An append-only memory on this machine, which
 * every command asks instead of guessing from times and defaults.
 */
export type { AppHistory, ListedEvent, SeenBuild } from './app-history.ts';
export type { EventOf, Verdict } from './events.ts';
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
export { changedSettings, sentSettings, settingKey } from './shown-settings.ts';
