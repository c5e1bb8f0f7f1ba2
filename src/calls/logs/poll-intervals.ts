import { GantryError, isTransient, UnexpectedReplyError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { LogSource } from './log-source.ts';

/** The maximum pause after a failed poll, in ms. */
const maxPauseMs = 30_000;
/** Unexpected replies in a row: a proxy's error page goes away, an unknown platform does not. */
const maxUnexpectedReplies = 5;

/** The pauses between two polls of a log. */
export class PollIntervals {
  /** Until the next poll. */
  ms: number;
  /** Failed polls in a row. */
  #failures = 0;

  constructor(
    private readonly progress: Context['progress'],
    private readonly bounds: LogSource['pollMs'],
  ) {
    this.ms = bounds[0];
  }

  /** The pauses grow while there are no new lines. */
  succeeded(hasLines: boolean): void {
    const [minMs, maxMs] = this.bounds;
    this.ms = hasLines ? minMs : Math.min(maxMs, Math.max(minMs, this.ms * 1.25));
    if (this.#failures > 0) this.progress.note('the log is available again');
    this.#failures = 0;
  }

  /** Returns false if the error is not transient. */
  failed(error: unknown): boolean {
    if (!(error instanceof GantryError)) return false;
    const { retryAfterMs } = error.facts;
    const isUnexpected = error instanceof UnexpectedReplyError;
    if (!isTransient(error) && !isUnexpected) return false;
    if (isUnexpected && this.#failures >= maxUnexpectedReplies) return false;
    if (this.#failures === 0) this.progress.note(`cannot read the log: ${error.message}; retrying`);
    this.#failures++;
    const pauseMs = jittered(Math.min(maxPauseMs, this.bounds[0] * 2 ** (this.#failures - 1)));
    this.ms = Math.max(retryAfterMs ?? 0, pauseMs);
    return true;
  }
}

/** A random time between half of it and all of it. */
export function jittered(ms: number): number {
  return Math.round(ms * (0.5 + Math.random() / 2));
}
