import type { Api } from '../../api/client.ts';
import { after } from '../../clock.ts';
import { UnavailableError } from '../../errors.ts';
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
  const end = () => (interrupted.aborted ? void after(cleanupTimeoutMs, cut, { background: true }) : cut());
  signal.addEventListener('abort', end, { once: true });
  return request(apiWithSignal(cutOff.signal)).finally(() => signal.removeEventListener('abort', end));
}
