import type { Api } from '../../api/client.ts';
import { ConnectionError } from '../../api/transport.ts';
import type { CommandLine } from '../../command-line.ts';
import { InterruptedError, UnavailableError, UnexpectedReplyError } from '../../errors.ts';
import { timeoutSignal } from './deadline.ts';
import type { TimeLimit } from './time-limit.ts';

/** How long requests may take after Ctrl-C, in ms. */
const cleanupTimeoutMs = 5_000;

/** For requests made after Ctrl-C, such as a cancellation. */
export function cleanupSignal(): AbortSignal {
  return timeoutSignal(cleanupTimeoutMs, () => new UnavailableError('no reply in time'));
}

/**
 * Completes a request that starts remote work despite Ctrl-C: work with an unknown id could not be canceled. The time
 * limit ends it at once.
 */
export async function completeDespiteInterrupt<T>(limit: TimeLimit, request: (api: Api) => Promise<T>): Promise<T> {
  const { signal, apiWithSignal } = limit.context;
  const { signal: interrupted } = limit.unlimited;
  signal.throwIfAborted();
  const cutOff = new AbortController();
  const cut = () => cutOff.abort(signal.reason);
  const end = () => (interrupted.aborted ? void setTimeout(cut, cleanupTimeoutMs).unref() : cut());
  signal.addEventListener('abort', end, { once: true });
  return request(apiWithSignal(cutOff.signal)).finally(() => signal.removeEventListener('abort', end));
}

/** If the request may have arrived although its reply was lost, adds to the error what may be running and how to find it. */
export function explainLostReply(error: unknown, { why, fix }: { why: string; fix: CommandLine }): unknown {
  const isLost =
    error instanceof UnavailableError || error instanceof UnexpectedReplyError || error instanceof InterruptedError;
  const isRefused = isLost && error.facts.status === 503 && error.facts.retryAfterMs !== undefined;
  const hasNotArrived = error instanceof ConnectionError && !error.mayHaveArrived;
  if (!isLost || isRefused || hasNotArrived) return error;
  error.facts.why = error.facts.why ? `${error.facts.why}; ${why}` : why;
  error.facts.fix = fix;
  return error;
}
