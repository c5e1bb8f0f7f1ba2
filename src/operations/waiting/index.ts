export { cancelAbandoned, cancelRemoteWork, type RemoteWork } from './cancel.ts';
export { Deadline, timeoutSignal } from './deadline.ts';
export { isRefusal, readEvidence, type Shown, unconfirmedError, warnUnconfirmed } from './evidence.ts';
export { cleanupSignal, completeDespiteInterrupt } from './interrupted-requests.ts';
export { type PollOptions, pollStates, pollUntil } from './poll.ts';
export { type PolledWork, throwUnlessTransient, unfinishedError } from './poll-errors.ts';
export { TimeLimit } from './time-limit.ts';
export { tryRequest } from './try-request.ts';
export { waitForChange } from './wait-for-change.ts';
