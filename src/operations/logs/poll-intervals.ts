import type { Context } from '../../context.ts';
import { GantryError, UnavailableError, UnexpectedReplyError } from '../../errors.ts';
import type { LogSource } from './log-source.ts';

/** After a look that failed, the longest wait for the next one (in milliseconds). */
const longestPauseMs = 30_000;
/** Nonsense in a row: a proxy's hiccup passes, a platform we do not understand does not. */
const mostNonsense = 5;

/** How long to wait between two looks at the history of a log. */
export class PollIntervals {
  /** Until the next look, milliseconds. */
  ms: number;
  /** Looks in a row that failed. */
  private failed = 0;

  constructor(
    private readonly progress: Context['progress'],
    private readonly bounds: LogSource['pollMs'],
  ) {
    this.ms = bounds[0];
  }

  /** After a look that brought something, or nothing. */
  looked(found: boolean): void {
    const [least, most] = this.bounds;
    this.ms = found ? least : Math.min(most, Math.max(least, this.ms * 1.25));
    if (this.failed > 0) this.progress.note('the log can be read again');
    this.failed = 0;
  }

  /** After one that failed. False when waiting mends nothing. */
  bear(error: unknown): boolean {
    if (!(error instanceof GantryError)) return false;
    const { retryable, retryAfterMs } = error.facts;
    const nonsense = error instanceof UnexpectedReplyError;
    if (!retryable && !(error instanceof UnavailableError) && !nonsense) return false;
    if (nonsense && this.failed >= mostNonsense) return false;
    if (this.failed === 0) this.progress.note(`the log could not be read: ${error.message}; trying on`);
    this.failed++;
    const pauseMs = jittered(Math.min(longestPauseMs, this.bounds[0] * 2 ** (this.failed - 1)));
    this.ms = Math.max(retryAfterMs ?? 0, pauseMs);
    return true;
  }
}

/** Between a half of it and all. */
export function jittered(ms: number): number {
  return Math.round(ms * (0.5 + Math.random() / 2));
}
