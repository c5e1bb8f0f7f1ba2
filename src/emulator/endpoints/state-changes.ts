/** Saves and replaces the whole state: one at a time, while requests wait. */
export class StateChanges {
  #last: Promise<unknown> | undefined;

  async run<T>(change: () => Promise<T>): Promise<T> {
    const result = (this.#last ?? Promise.resolve()).then(change);
    const ended = result
      .catch(() => {})
      .finally(() => {
        if (this.#last === ended) this.#last = undefined;
      });
    this.#last = ended;
    return result;
  }

  /** Resolves when none is in progress; undefined if none is. */
  get ended(): Promise<unknown> | undefined {
    return this.#last;
  }
}
