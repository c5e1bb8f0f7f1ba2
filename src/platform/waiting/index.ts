export { cancelAbandoned, cancelRemoteWork, type RemoteWork } from './cancel.ts';
export { cleanupSignal, Deadline, timeoutSignal } from './deadline.ts';
export {
  lookAgain,
  type PolledWork,
  type PollOptions,
  pollUntil,
  throwUnlessTransient,
  unfinishedError,
} from './poll.ts';
export {
  ifTold,
  isRefusal,
  isTooEarly,
  readEvidence,
  type Shown,
  shownLateMs,
  tryRequest,
  tryUntilKnown,
  unconfirmedError,
  unless,
  unlessMissing,
  untilKnown,
  untilShown,
  waitForChange,
  warnUnconfirmed,
} from './refusals.ts';
export { completeDespiteInterrupt, contextUntil, contextWith, noStep, noteTimeout, TimeLimit } from './time-limit.ts';
