/**
 * Work begun ahead and finished in order, one after the other, so that what is written does not depend on who was
 * faster. Finishing goes on while more is begun; `ahead` bounds how much is under way, and with it the memory.
 */
export class OrderedQueue {
  readonly #ahead: number;
  readonly #waiting: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  /** Fulfilled when there is room for more. A failure ends everything behind it, and is thrown here or by `drain`. */
  async add<T>(work: Promise<T>, finish: (result: T) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => finish(await work));
    this.#waiting.push(this.#last);
    // Both may fail long before anybody asks; that is no unhandled rejection.
    for (const early of [work, this.#last]) early.catch(() => {});
    while (this.#waiting.length > this.#ahead) await this.#waiting.shift();
  }

  async drain(): Promise<void> {
    await this.#last;
  }
}
