/** Smaller differences are ignored, because a Date header has whole seconds. */
const minDifferenceMs = 2_000;

/** The platform's clock, by the dates of responses: this machine's may differ. */
export class RemoteClock {
  #aheadMs = 0;

  /** `now` is the wall-clock time of this machine, in ms since 1970. */
  constructor(private readonly now: () => number) {}

  /** Takes the headers of a response that just arrived. The date of one that a cache kept (RFC 9111, 5.1) is too old. */
  observe({ date, age }: { date?: string | undefined; age?: string | undefined }): void {
    const time = age === undefined ? Date.parse(String(date)) : Number.NaN;
    const aheadMs = time - this.now();
    if (!Number.isNaN(aheadMs)) this.#aheadMs = Math.abs(aheadMs) < minDifferenceMs ? 0 : aheadMs;
  }

  /** A time of this machine by the remote clock; the same before the first date. */
  timeOf(time: number): number {
    return time + this.#aheadMs;
  }

  current(): number {
    return this.timeOf(this.now());
  }
}
