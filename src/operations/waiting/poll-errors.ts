import { GantryError, UnavailableError, UnexpectedReplyError } from '../../errors.ts';

/** How long the platform may be out of reach before we stop following (in milliseconds). */
const unavailableMs = 5 * 60_000;
/** How long it may answer in an unknown form: a proxy's error page passes, a platform we do not understand does not. */
const unexpectedMs = 10_000;

/** What is followed, and how to go on with it. */
export interface Followed {
  /** In the user's words: `build b-1 of web`. */
  name: string;
  /** The command that follows it. */
  fix: string;
  details: Record<string, unknown>;
}

/** A failed poll is not a result: the next one may succeed. Throws only errors that retrying cannot fix. */
export function throwUnlessTransient(error: unknown, silentMs: number, { name, fix, details }: Followed): void {
  if (!(error instanceof GantryError)) throw error;
  const isUnavailable = error.facts.retryable || error instanceof UnavailableError;
  const limitMs = isUnavailable ? unavailableMs : error instanceof UnexpectedReplyError ? unexpectedMs : 0;
  if (limitMs > 0 && silentMs + (error.facts.retryAfterMs ?? 0) <= limitMs) return;
  error.facts.why ??= `could not get the status of ${name}; it continues`;
  // How to get another token is more use than how to follow without one.
  if (error.facts.status !== 401) error.facts.fix = fix;
  error.facts.details ??= details;
  throw error;
}
