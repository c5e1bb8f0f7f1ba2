/**
 * Runs tasks concurrently and finishes them in the order they were added, one after the other. `maxPending` limits the
 * unfinished tasks, and with them the memory.
 */
export class OrderedQueue {
  readonly #pending: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly maxPending: number) {}

  /** Resolves when another task may be added. A failure ends all later tasks; it is thrown here or by `drain`. */
  async add<T>(work: Promise<T>, finish: (result: T) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => finish(await work));
    this.#pending.push(this.#last);
    // Both may fail long before they are awaited, which Node would report as unhandled.
    for (const promise of [work, this.#last]) promise.catch(() => {});
    while (this.#pending.length > this.maxPending) await this.#pending.shift();
  }

  async drain(): Promise<void> {
    await this.#last;
  }
}
