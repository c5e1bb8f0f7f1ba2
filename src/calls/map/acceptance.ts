/** A call that has been on its way for longer was not refused: the app is processing it. */
const processedAfterMs = 60_000;

/** Knows when the app has last taken a call. Times are monotonic, in ms. */
export class Acceptance {
  #lastAt = Number.NEGATIVE_INFINITY;
  /** When the calls began that have no reply yet. */
  readonly #begun = new Set<{ at: number }>();

  /** A call is on its way. Returns what ends it. */
  begin(now: number): () => void {
    const call = { at: now };
    this.#begun.add(call);
    return () => void this.#begun.delete(call);
  }

  /** A call got an answer that was no refusal. */
  note(now: number): void {
    this.#lastAt = now;
  }

  isSince(time: number, now: number): boolean {
    return this.#lastAt >= time || [...this.#begun].some(({ at }) => now - at > processedAfterMs);
  }
}
