import type { Context } from '../context.ts';
import type { GantryError } from '../errors.ts';

/** A timer cannot be set for longer (in milliseconds, some 24 days). */
const longestTimerMs = 2 ** 31 - 1;

type Clock = Pick<Context, 'signal' | 'elapsed'>;

/**
 * A time limit with one end: whatever is being waited for when it passes (a call that hangs, the pause before a retry,
 * a log), what is thrown is the error of this deadline. It is the reason of `signal`, and callers throw that reason.
 * Ctrl-C aborts `signal` too, with its own reason.
 */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #startedAt: number;
  readonly #stop: () => void;

  constructor(
    private readonly clock: Clock,
    readonly timeoutMs: number,
    private readonly errorAtEnd: () => GantryError,
  ) {
    this.#startedAt = clock.elapsed();
    this.signal = AbortSignal.any([clock.signal, this.#over.signal]);
    this.#stop = after(timeoutMs, () => this.#end());
  }

  /** Since the wait began. */
  get waitedMs(): number {
    return this.clock.elapsed() - this.#startedAt;
  }

  get leftMs(): number {
    return Math.max(0, this.timeoutMs - this.waitedMs);
  }

  /** Throws once the time is over, or on Ctrl-C. */
  check(): void {
    if (!this.signal.aborted && this.leftMs === 0) this.#end();
    this.signal.throwIfAborted();
  }

  /** Stops the timer: nothing is waited for any more. */
  close(): void {
    this.#stop();
  }

  #end(): void {
    this.#over.abort(this.errorAtEnd());
  }
}

/** A signal for one step of something longer. It aborts when `until` does, or after `ms`, with an error of ours. */
export function within(ms: number, errorAtEnd: () => GantryError, until?: AbortSignal): AbortSignal {
  const over = new AbortController();
  after(ms, () => over.abort(errorAtEnd()));
  return until ? AbortSignal.any([until, over.signal]) : over.signal;
}

/** Calls back once, after any time, without keeping the process up. Returns what stops it. */
function after(ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number) => {
    const nextMs = Math.min(leftMs, longestTimerMs);
    timer = setTimeout(() => (nextMs < leftMs ? wait(leftMs - nextMs) : callback()), nextMs).unref();
  };
  wait(ms);
  return () => clearTimeout(timer);
}
