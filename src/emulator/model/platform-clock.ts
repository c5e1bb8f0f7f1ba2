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
