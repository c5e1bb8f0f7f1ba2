import { GantryError } from '../../kernel/errors.ts';

export interface Retry {
  attempt: number;
  tries: number;
  delayMs: number;
  reason: GantryError;
}

export interface RetryOptions {
  signal: AbortSignal;
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  onRetry: (retry: Retry) => void;
}

const maxAttempts = 5;
const firstDelayMs = 500;
const maxDelayMs = 8_000;
const maxRetryAfterMs = 60_000;

/** Errors whose retries are over, also for a request that needed this one: a renewed token, a new signed URL. */
const exhausted = new WeakSet<GantryError>();

/** Up to five attempts, with exponential backoff and full jitter. Obeys `Retry-After` up to one minute. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  mayRepeat: (error: GantryError) => boolean,
  { signal, delay, onRetry }: RetryOptions,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !(error instanceof GantryError) || exhausted.has(error) || !mayRepeat(error)) throw error;
      if (number === maxAttempts) exhausted.add(error);
      const delayMs = retryDelayMs(number + 1, error.facts.retryAfterMs);
      if (delayMs === undefined || number === maxAttempts) throw error;
      onRetry({ attempt: number + 1, tries: maxAttempts, delayMs, reason: error });
      await delay(delayMs, signal);
    }
  }
}

/** Delay before an attempt (from 2), in ms; undefined if the server requests a longer one than the maximum. */
export function retryDelayMs(attempt: number, retryAfterMs?: number, random = Math.random): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= maxRetryAfterMs ? retryAfterMs : undefined;
  return Math.round(random() * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 2)));
}

/** Parses `Retry-After`, in seconds or as a date, to ms from now. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
