/** In milliseconds: what was not used may be made up for within this long. */
const burstMs = 100;

/** Bytes per second, of all connections together. Whoever takes waits until it is due, in the order of asking. */
export class Rate {
  #dueAt = 0;

  constructor(
    readonly bytesPerSecond: number,
    private readonly clock: { now: () => number; delay: (ms: number, signal: AbortSignal) => Promise<void> },
  ) {}

  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    this.#dueAt = Math.max(this.#dueAt, now - burstMs) + (bytes / this.bytesPerSecond) * 1000;
    if (this.#dueAt > now) await this.clock.delay(this.#dueAt - now, signal);
  }
}
