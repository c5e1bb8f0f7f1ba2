import { after } from '../../kernel/clock.ts';
import { type GantryError, UnavailableError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

type Clock = Pick<Context, 'signal' | 'elapsed' | 'end'>;

/** For several steps: whichever waits when it passes throws its error, the reason of `signal`, as Ctrl-C does. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #expired = new AbortController();
  readonly #saidMs: number;
  #startedAt: number;
  #stop: () => void;

  constructor(
    private readonly clock: Clock,
    readonly timeoutMs: number,
    /** Gets the time to say: the `--timeout` that was typed, if this is what is left of it. */
    private readonly createError: (saidMs: number) => GantryError,
  ) {
    this.#startedAt = clock.elapsed();
    const { at = Number.POSITIVE_INFINITY, typedMs = timeoutMs } = clock.end;
    this.#saidMs = this.#startedAt + timeoutMs < at - 1 ? timeoutMs : typedMs;
    this.signal = AbortSignal.any([clock.signal, this.#expired.signal]);
    this.#stop = after(timeoutMs, () => this.#expire(), { background: true });
  }

  get waitedMs(): number {
    return this.clock.elapsed() - this.#startedAt;
  }

  get remainingMs(): number {
    return Math.max(0, this.timeoutMs - this.waitedMs);
  }

  /** Throws if the time is over, or after Ctrl-C. */
  check(): void {
    if (!this.signal.aborted && this.remainingMs === 0) this.#expire();
    this.signal.throwIfAborted();
  }

  close(): void {
    this.#stop();
  }

  /** Starts the timer again after `close`. The time in between counts, except for `uncountedMs`. */
  resume(uncountedMs = 0): void {
    this.#startedAt += uncountedMs;
    this.#stop();
    this.#stop = after(this.remainingMs, () => this.#expire(), { background: true });
  }

  #expire(): void {
    this.#expired.abort(this.createError(this.#saidMs));
  }
}

/** A signal that aborts after `ms` with the error created, or when `parent` does. For one step of a longer task. */
export function timeoutSignal(ms: number, createError: () => GantryError, parent?: AbortSignal): AbortSignal {
  const timeout = new AbortController();
  after(ms, () => timeout.abort(createError()), { background: true });
  return parent ? AbortSignal.any([parent, timeout.signal]) : timeout.signal;
}

export const cleanupTimeoutMs = 5_000;

export function cleanupSignal(): AbortSignal {
  return timeoutSignal(cleanupTimeoutMs, () => new UnavailableError('no reply in time'));
}
