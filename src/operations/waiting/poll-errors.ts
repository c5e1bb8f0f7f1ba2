import type { CommandLine } from '../../command-line.ts';
import { GantryError, isTransient, NotFoundError, UnexpectedReplyError } from '../../errors.ts';

/** How long the platform may be unavailable, in ms. */
const maxUnavailableMs = 5 * 60_000;
/** How long it may reply in an unknown form, in ms: a proxy's error page goes away, an unknown platform does not. */
const maxUnexpectedMs = 10_000;

interface PolledWork {
  /** `build b-1 of web`. */
  name: string;
  /** How to follow it. */
  fix: string | CommandLine;
  details: Record<string, unknown>;
}

/**
 * A failed poll is not a result: the next one may succeed. Throws only errors that retrying cannot fix, and any once
 * there was no reply for too long.
 */
export function throwUnlessTransient(error: unknown, silentMs: number, { name, fix, details }: PolledWork): void {
  if (!(error instanceof GantryError)) throw error;
  const isUnavailable = isTransient(error);
  const limitMs = isUnavailable ? maxUnavailableMs : error instanceof UnexpectedReplyError ? maxUnexpectedMs : 0;
  if (limitMs > 0 && silentMs + (error.facts.retryAfterMs ?? 0) <= limitMs) return;
  error.facts.details ??= details;
  // What does not exist does not continue: the error's own fix is to list what does.
  if (error instanceof NotFoundError) throw error;
  error.facts.why ??= `could not get the status of ${name}; it continues`;
  // A 401 has a fix of its own: get another token.
  if (error.facts.status !== 401) error.facts.fix = fix;
  throw error;
}
