import { GantryError, UnavailableError, UnexpectedReplyError } from '../errors.ts';

/** The platform may be out of reach for this long before we give up following (in milliseconds). */
const patienceMs = 5 * 60_000;
/** It may answer nonsense for this long: a proxy's hiccup passes, a platform we do not understand does not. */
const patienceWithNonsenseMs = 10_000;

/** What is followed, and how to go on with it. */
export interface Followed {
  /** In the user's words: `build b-1 of web`. */
  name: string;
  /** The command that follows it. */
  fix: string;
  details: Record<string, unknown>;
}

/** A look that failed is no verdict: the next one may succeed. Only what waiting cannot mend is thrown. */
export function bearWith(error: unknown, silentMs: number, { name, fix, details }: Followed): undefined {
  if (!(error instanceof GantryError)) throw error;
  const outOfReach = error.facts.retryable || error instanceof UnavailableError;
  const patience = outOfReach ? patienceMs : error instanceof UnexpectedReplyError ? patienceWithNonsenseMs : 0;
  if (patience > 0 && silentMs + (error.facts.retryAfterMs ?? 0) <= patience) return;
  error.facts.why ??= `${name} could not be looked at; it goes on without us`;
  // How to get another token is more use than how to go on without one.
  if (error.facts.status !== 401) error.facts.fix = fix;
  error.facts.details ??= details;
  throw error;
}
