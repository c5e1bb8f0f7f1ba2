import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from './deadline.ts';

export interface Polling<T> {
  /** One request for the current state. */
  poll: (api: Api) => Promise<T>;
  deadline: Deadline;
  /** Milliseconds between two polls: the first pause, and what it grows to. */
  pauses: { firstMs: number; longestMs: number; growth: number };
  /** Throws unless a failed poll may be followed by another one. `silentMs`: since the last answer. */
  onFailure: (error: unknown, silentMs: number) => void;
}

/** Polls until `settle` makes a result of a state. Throws as `states` does. */
export async function pollUntil<T, R>(
  context: Pick<Context, 'apiUntil' | 'elapsed' | 'delay'>,
  polling: Polling<T>,
  settle: (state: T) => R | undefined | Promise<R | undefined>,
): Promise<R> {
  for await (const state of states(context, polling)) {
    const result = state === undefined ? undefined : await settle(state);
    if (result !== undefined) return result;
  }
  throw new Error('polling ended without a result');
}

/**
 * Polls for a state again and again, with growing pauses, until the caller stops. Yields undefined for a poll that
 * failed in a way that may pass. Throws the error of the deadline when it passes, whatever is being waited for then.
 */
export async function* states<T>(
  { apiUntil, elapsed, delay }: Pick<Context, 'apiUntil' | 'elapsed' | 'delay'>,
  { poll, deadline, pauses, onFailure }: Polling<T>,
): AsyncGenerator<T | undefined> {
  const { signal } = deadline;
  const api = apiUntil(signal);
  let answeredAt = elapsed();
  try {
    for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauses.longestMs, pauseMs * pauses.growth)) {
      const state = await poll(api).catch((error: unknown) => {
        signal.throwIfAborted();
        onFailure(error, elapsed() - answeredAt);
      });
      if (state !== undefined) answeredAt = elapsed();
      yield state as T | undefined;
      deadline.check();
      await delay(Math.max(1, Math.min(pauseMs, deadline.leftMs)), signal);
    }
  } finally {
    deadline.close();
  }
}
