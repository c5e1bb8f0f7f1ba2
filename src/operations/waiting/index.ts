export { type Cancellable, type Cancellation, stop, stopAbandoned } from './cancel.ts';
export { Deadline, within } from './deadline.ts';
export { mayHaveBegun, withGrace } from './grace-period.ts';
export { type Polling, pollUntil, states } from './poll.ts';
export { throwUnlessTransient } from './poll-errors.ts';
export { lookUntil } from './wait-for-change.ts';
