/** How long after it became narrower a gate stays so: the complaints that follow are about requests sent before. */
const calmMs = 1_000;

/**
 * How many requests are under way at the same time. It is halved when the server asks to slow down, and grows back by
 * about one with each round of requests that succeed.
 */
export class ConcurrencyLimit {
  #width: number;
  #inside = 0;
  #narrowedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: { order: number; enter: () => void }[] = [];

  constructor(
    readonly max: number,
    private readonly elapsed: () => number,
  ) {
    this.#width = max;
  }

  get current(): number {
    return Math.floor(this.#width);
  }

  /** Whoever waits with the lowest order is next: what was begun is ended before something new is begun. */
  async run<T>(work: () => Promise<T>, order = 0): Promise<T> {
    if (this.#inside < this.current) this.#inside++;
    else await new Promise<void>((enter) => this.#line(order, enter));
    try {
      const result = await work();
      this.#width = Math.min(this.max, this.#width + 1 / this.#width);
      return result;
    } finally {
      this.#inside--;
      this.#admit();
    }
  }

  reduce(): void {
    const now = this.elapsed();
    if (now - this.#narrowedAt < calmMs) return;
    this.#narrowedAt = now;
    this.#width = Math.max(1, this.#width / 2);
  }

  /** Mostly the newcomer has the highest order and is last. */
  #line(order: number, enter: () => void): void {
    let place = this.#waiting.length;
    while (place > 0 && (this.#waiting[place - 1]?.order ?? 0) > order) place--;
    this.#waiting.splice(place, 0, { order, enter });
  }

  #admit(): void {
    while (this.#inside < this.current) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#inside++;
      next.enter();
    }
  }
}
