/**
 * A signal for each call, so that all can be aborted. `AbortSignal.any` would keep something of each call for as long as the
 * common signal lives.
 */
export class CallSignals {
  readonly #open = new Set<AbortController>();
  /** Those that were refused, and wait to be repeated. */
  readonly #pausing = new Set<AbortController>();
  #hasEnded = false;

  /** How many calls the app may be processing. */
  get inFlight(): number {
    return this.#open.size - this.#pausing.size;
  }

  abortAll(reason: unknown): void {
    for (const call of this.#open) call.abort(reason);
  }

  /** No call is repeated from now on: those that had no effect yet end with a {@link NotRepeated}. */
  endPauses(): void {
    this.#hasEnded = true;
    for (const call of this.#pausing) call.abort(new NotRepeated());
  }

  async run<T>(call: (controller: AbortController) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#open.add(controller);
    try {
      return await call(controller);
    } finally {
      this.#open.delete(controller);
    }
  }

  async pause(call: AbortController, wait: () => Promise<void>): Promise<void> {
    if (this.#hasEnded) throw new NotRepeated();
    this.#pausing.add(call);
    try {
      await wait();
    } finally {
      this.#pausing.delete(call);
    }
  }
}

/** A call that was refused is not repeated any more: its input has no result. */
export class NotRepeated extends Error {}
