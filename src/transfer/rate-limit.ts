/** In milliseconds: what was not used may be made up for within this long. */
const burstMs = 100;

/** Bytes per second, of all connections together. Whoever takes waits until it is due, in the order of asking. */
export class RateLimit {
  /** Since when so many bytes were taken: added up as times, the errors of small ones would add up as well. */
  #since = 0;
  #taken = 0;

  constructor(
    readonly bytesPerSecond: number,
    private readonly clock: { elapsed: () => number; delay: (ms: number, signal: AbortSignal) => Promise<void> },
  ) {}

  async wait(bytes: number, signal: AbortSignal): Promise<void> {
    const now = this.clock.elapsed();
    if (this.#dueAt < now - burstMs) [this.#since, this.#taken] = [now - burstMs, 0];
    this.#taken += bytes;
    if (this.#dueAt > now) await this.clock.delay(this.#dueAt - now, signal);
  }

  get #dueAt(): number {
    return this.#since + (this.#taken / this.bytesPerSecond) * 1000;
  }
}
