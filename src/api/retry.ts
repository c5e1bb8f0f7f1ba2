import { GantryError } from '../errors.ts';

export interface Retry {
  /** The try that is about to start, from 2. */
  attempt: number;
  tries: number;
  delayMs: number;
  reason: GantryError;
}

export interface RetryOptions {
  signal: AbortSignal;
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A user is always told that a retry happens. */
  onRetry: (retry: Retry) => void;
}

const tries = 5;
const firstMs = 500;
const longestMs = 8_000;
const longestRetryAfterMs = 60_000;

/**
 * Calls `attempt` up to five times, as long as `mayRepeat` allows a retry for the failure. Uses exponential backoff
 * with full jitter and obeys the server's `Retry-After` up to one minute.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  mayRepeat: (error: GantryError) => boolean,
  { signal, delay, onRetry }: RetryOptions,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (number === tries || signal.aborted || !(error instanceof GantryError) || !mayRepeat(error)) throw error;
      const delayMs = retryDelayMs(number + 1, error.facts.retryAfterMs);
      if (delayMs === undefined) throw error;
      onRetry({ attempt: number + 1, tries, delayMs, reason: error });
      await delay(delayMs, signal);
    }
  }
}

/** Milliseconds before the given try (from 2); undefined when the server asks for longer than we are ready to wait. */
export function retryDelayMs(attempt: number, retryAfterMs?: number, random = Math.random): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= longestRetryAfterMs ? retryAfterMs : undefined;
  return Math.round(random() * Math.min(longestMs, firstMs * 2 ** (attempt - 2)));
}

/** `Retry-After` in milliseconds from now; both of its forms, seconds and a date, are understood. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
