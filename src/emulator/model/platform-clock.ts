/** The time of the platform: that of the machine or a fixed one, and what tests have added to it. */
export class PlatformClock {
  #advancedMs = 0;

  constructor(private readonly base: () => number) {}

  readonly now = (): number => this.base() + this.#advancedMs;

  get advancedMs(): number {
    return this.#advancedMs;
  }

  /** Moves it forward. Throws a RangeError for more than tokens live. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('a clock can only be advanced');
    this.set(this.#advancedMs + ms);
  }

  /** How far it is ahead in all. */
  set(advancedMs: number): void {
    if (advancedMs > maxAdvancedMs) throw new RangeError('the clock can be advanced by 300 days in all');
    this.#advancedMs = advancedMs;
  }
}

/** Tokens are valid for a year. */
const maxAdvancedMs = 300 * 24 * 60 * 60 * 1000;

/** How late replies show what happened. */
export class Lateness {
  /** Moments, the latest first, and how much time has passed since then that the clock does not know of. */
  #passed: { at: number; ms: number }[] = [];

  constructor(
    readonly now: () => number,
    readonly ms: number,
  ) {}

  /** They show the platform as it was then. */
  readonly seenAt = (): number => {
    const now = this.now();
    const passed = this.#passed.find(({ at, ms }) => now - at + ms >= this.ms);
    return Math.max(now - this.ms, passed?.at ?? 0);
  };

  /** Lets time pass for whom the replies are, by default so much that they show all that has happened. */
  pass(ms = this.ms): void {
    const all = [{ at: this.now(), ms: 0 }, ...this.#passed].map((each) => ({ ...each, ms: each.ms + ms }));
    this.#passed = all.slice(0, all.findIndex((each) => each.ms >= this.ms) + 1 || all.length);
  }
}
