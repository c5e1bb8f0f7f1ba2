import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from './deadline.ts';

export interface PollOptions<T> {
  /** One request for the current state. */
  poll: (api: Api) => Promise<T>;
  deadline: Deadline;
  /** The first pause between polls, and how it grows. */
  pauses: { firstMs: number; maxMs: number; growth: number };
  /** Throws unless polling may continue after a failure. `silentMs`: time since the last reply. */
  onFailure: (error: unknown, silentMs: number) => void;
}

/** Polls until `resultOf` returns a result. Throws as `pollStates` does. */
export async function pollUntil<T, R>(
  context: Pick<Context, 'apiWithSignal' | 'elapsed' | 'delay'>,
  options: PollOptions<T>,
  resultOf: (state: T) => R | undefined | Promise<R | undefined>,
): Promise<R> {
  for await (const state of pollStates(context, options)) {
    const result = state === undefined ? undefined : await resultOf(state);
    if (result !== undefined) return result;
  }
  throw new Error('polling ended without a result');
}

/**
 * Polls with growing pauses until the caller stops. Yields undefined for a poll that failed with a transient error.
 * Throws the deadline's error when it passes, even during a request.
 */
export async function* pollStates<T>(
  { apiWithSignal, elapsed, delay }: Pick<Context, 'apiWithSignal' | 'elapsed' | 'delay'>,
  { poll, deadline, pauses, onFailure }: PollOptions<T>,
): AsyncGenerator<T | undefined> {
  const { signal } = deadline;
  const api = apiWithSignal(signal);
  let repliedAt = elapsed();
  try {
    for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauses.maxMs, pauseMs * pauses.growth)) {
      const state = await poll(api).catch((error: unknown) => {
        signal.throwIfAborted();
        onFailure(error, elapsed() - repliedAt);
      });
      if (state !== undefined) repliedAt = elapsed();
      yield state as T | undefined;
      deadline.check();
      await delay(Math.max(1, Math.min(pauseMs, deadline.remainingMs)), signal);
    }
  } finally {
    deadline.close();
  }
}
