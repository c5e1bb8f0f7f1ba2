import type { Fix } from '../../kernel/command-line.ts';
import {
  type GantryError,
  isTransient,
  NotFoundError,
  PendingError,
  throwUnexpected,
  UnavailableError,
  UnexpectedReplyError,
} from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import type { Api } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { Deadline } from './deadline.ts';
import { isTooEarly } from './refusals.ts';

export interface PollOptions<T> {
  poll: (api: Api) => Promise<T>;
  deadline: Deadline;
  pauses: { firstMs: number; maxMs: number; growth: number };
  /** Throws unless polling may continue after a failure. `silentMs`: time since the last reply. */
  onFailure: (error: unknown, silentMs: number) => void;
}

/** Pauses grow. A transient error is no state. Throws the deadline's error when it passes, even during a request. */
export async function pollUntil<T, R>(
  { apiWithSignal, elapsed, delay }: Pick<Context, 'apiWithSignal' | 'elapsed' | 'delay'>,
  { poll, deadline, pauses, onFailure }: PollOptions<T>,
  resultOf: (state: T) => R | undefined | Promise<R | undefined>,
): Promise<R> {
  const { signal } = deadline;
  const api = apiWithSignal(signal);
  let repliedAt = elapsed();
  try {
    for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauses.maxMs, pauseMs * pauses.growth)) {
      const state = await poll(api).catch((error: unknown) => {
        signal.throwIfAborted();
        onFailure(error, elapsed() - repliedAt);
      });
      if (state !== undefined) {
        repliedAt = elapsed();
        const result = await resultOf(state);
        if (result !== undefined) return result;
      }
      deadline.check();
      await delay(Math.max(1, Math.min(pauseMs, deadline.remainingMs)), signal);
    }
  } finally {
    deadline.close();
  }
}

export interface PolledWork {
  /** `build b-1 of web`. */
  name: string;
  fix: Fix;
  details: Record<string, unknown>;
  /** How long ago this command has created it. The platform may not show it yet. */
  ageMs?: number | undefined;
  /** How long ago a reply has shown it: what is not found some seconds later was deleted. */
  shownMs?: number | undefined;
}

const maxUnavailableMs = 5 * 60_000;
/** How long it may reply in an unknown form, in ms: a proxy's error page goes away, an unknown platform does not. */
const maxUnexpectedMs = 10_000;

/** Returns an error that the next poll may not meet. Throws others, and any once there was no reply for too long. */
export function throwUnlessTransient(error: unknown, silentMs: number, work: PolledWork): GantryError {
  const { ageMs, shownMs } = work;
  throwUnexpected(error);
  const isUnavailable = isTransient(error);
  if (ageMs !== undefined && isTooEarly(error, ageMs, shownMs)) return error;
  // What this command has started is waited for up to its own time limit.
  const heldMs = ageMs !== undefined && isUnavailable ? 0 : silentMs;
  const limitMs = isUnavailable ? maxUnavailableMs : error instanceof UnexpectedReplyError ? maxUnexpectedMs : 0;
  if (limitMs > 0 && heldMs + (error.facts.retryAfterMs ?? 0) <= limitMs) return error;
  throw lastFailure(error, work);
}

function lastFailure(error: GantryError, { name, fix, details, shownMs }: PolledWork): GantryError {
  error.facts.details ??= details;
  // What does not exist does not continue: the error's own fix is to list what does.
  if (error instanceof NotFoundError) {
    if (shownMs !== undefined) error.facts.why ??= `${name} was there before: it or its app was deleted meanwhile`;
    return error;
  }
  error.facts.why ??= `could not get the status of ${name}; it continues`;
  // A 401 has a fix of its own: get another token.
  if (error.facts.status !== 401) error.facts.fix = fix;
  return error;
}

interface WaitedFor {
  saidMs: number;
  status: string;
  failure?: GantryError | undefined;
  /** Another command started the work: it may have ended, or not exist, as long as no status was read. */
  startedBefore?: true | undefined;
}

export function unfinishedError(
  { name, fix, details }: PolledWork,
  { saidMs, status, failure, startedBefore }: WaitedFor,
): GantryError {
  const facts = { why: failure?.message, fix, details: { ...details, ...(status && { status }) } };
  if (startedBefore && status === '') {
    return new UnavailableError(`the status of ${name} was not known within ${duration(saidMs)}`, facts);
  }
  if (status === '' && failure instanceof NotFoundError) {
    const why = 'the platform may be late to show what has just begun';
    return new PendingError(`${name} has begun, and is not shown after ${duration(saidMs)}`, { ...facts, why });
  }
  const state = `${name} is still in progress after ${duration(saidMs)}`;
  const isKnown = status !== '' && failure === undefined;
  return new PendingError(isKnown ? state : `whether ${state} is not known`, facts);
}

/** Looks until something is as it should be: at once, and after each pause. */
export async function lookAgain(
  pausesMs: readonly number[],
  delay: (ms: number) => Promise<void>,
  look: () => Promise<boolean>,
): Promise<void> {
  for (const pauseMs of pausesMs) {
    if (await look()) return;
    await delay(pauseMs);
  }
  await look();
}
