/** Smaller differences are ignored, because a Date header has whole seconds. */
const minDifferenceMs = 2_000;

/** The clock of the storage, whose times listings show, by the dates of its responses. It may differ from that of this machine. */
export class StorageClock {
  #aheadMs = 0;

  /** `now` is the wall-clock time of this machine, in ms since 1970. */
  constructor(private readonly now: () => number) {}

  /** Takes the Date header of a response that just arrived. */
  observe(date: unknown): void {
    const time = Date.parse(String(date));
    const aheadMs = time - this.now();
    if (!Number.isNaN(aheadMs)) this.#aheadMs = Math.abs(aheadMs) < minDifferenceMs ? 0 : aheadMs;
  }

  /** A time of this machine by the storage's clock; the same without a date of the storage. */
  timeOf(time: number): number {
    return time + this.#aheadMs;
  }

  /** In ms since 1970. */
  current(): number {
    return this.timeOf(this.now());
  }
}
