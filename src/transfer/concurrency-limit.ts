/** Pause after a reduction, in ms: failures within it belong to requests that were sent before. */
const reductionPauseMs = 1_000;

/**
 * Limits concurrent requests. The limit is halved when the server is overloaded, and grows by about one with each round
 * of successful requests.
 */
export class ConcurrencyLimit {
  #limit: number;
  #running = 0;
  #reducedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: { order: number; start: () => void }[] = [];

  constructor(
    readonly max: number,
    private readonly elapsed: () => number,
  ) {
    this.#limit = max;
  }

  get current(): number {
    return Math.floor(this.#limit);
  }

  /** Lower orders run first, so that started files are finished before new ones are started. */
  async run<T>(task: () => Promise<T>, order = 0): Promise<T> {
    if (this.#running < this.current) this.#running++;
    else await new Promise<void>((start) => this.#enqueue(order, start));
    try {
      const result = await task();
      this.#limit = Math.min(this.max, this.#limit + 1 / this.#limit);
      return result;
    } finally {
      this.#running--;
      this.#startWaiting();
    }
  }

  reduce(): void {
    const now = this.elapsed();
    if (now - this.#reducedAt < reductionPauseMs) return;
    this.#reducedAt = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  /** Searches from the end: a new task usually has the highest order. */
  #enqueue(order: number, start: () => void): void {
    let index = this.#waiting.length;
    while (index > 0 && (this.#waiting[index - 1]?.order ?? 0) > order) index--;
    this.#waiting.splice(index, 0, { order, start });
  }

  #startWaiting(): void {
    while (this.#running < this.current) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running++;
      next.start();
    }
  }
}
