/** Unused bandwidth may be made up for within this time, in ms. */
const burstMs = 100;

/** Limits the bytes per second of all connections together, first come, first served. */
export class RateLimit {
  /** Start of the current burst. Bytes are counted from it, because summing up small delays adds rounding errors. */
  #startedAt = 0;
  #bytes = 0;

  constructor(
    readonly bytesPerSecond: number,
    private readonly clock: { elapsed: () => number; delay: (ms: number, signal: AbortSignal) => Promise<void> },
  ) {}

  /** Resolves when these bytes may be sent or read. */
  async wait(bytes: number, signal: AbortSignal): Promise<void> {
    const now = this.clock.elapsed();
    if (this.#dueAt < now - burstMs) {
      this.#startedAt = now - burstMs;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#dueAt > now) await this.clock.delay(this.#dueAt - now, signal);
  }

  get #dueAt(): number {
    return this.#startedAt + (this.#bytes / this.bytesPerSecond) * 1000;
  }
}
