import type { Api } from '../../api/client.ts';
import { ConnectionError } from '../../api/transport.ts';
import type { Context } from '../../context.ts';
import { type GantryError, InterruptedError, UnavailableError, UnexpectedReplyError } from '../../errors.ts';
import { within } from './deadline.ts';

/** Time the platform has to answer, in milliseconds, when Ctrl-C meets a request that may have begun something. */
const graceMs = 5_000;

/** For a call made after Ctrl-C, such as a cancellation. */
export function graceSignal(): AbortSignal {
  return within(graceMs, () => new UnavailableError('no answer in time'));
}

/** Makes a call that Ctrl-C does not cut off at once: what it has begun must be known, or it could not be cancelled. */
export async function withGrace<T>({ signal, apiUntil }: Context, call: (api: Api) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const hurry = new AbortController();
  const timer = () => void setTimeout(() => hurry.abort(signal.reason), graceMs).unref();
  signal.addEventListener('abort', timer, { once: true });
  return call(apiUntil(hurry.signal)).finally(() => signal.removeEventListener('abort', timer));
}

/** The answer was lost, the request perhaps not: the user learns what may go on, and how to find it. */
export function mayHaveBegun(error: unknown, facts: Required<Pick<GantryError['facts'], 'why' | 'fix'>>): unknown {
  const lost =
    error instanceof UnavailableError || error instanceof UnexpectedReplyError || error instanceof InterruptedError;
  const refused = lost && error.facts.status === 503 && error.facts.retryAfterMs !== undefined;
  const never = error instanceof ConnectionError && !error.mayHaveArrived;
  if (!lost || refused || never) return error;
  error.facts.why = error.facts.why ? `${error.facts.why}; ${facts.why}` : facts.why;
  error.facts.fix = facts.fix;
  return error;
}
