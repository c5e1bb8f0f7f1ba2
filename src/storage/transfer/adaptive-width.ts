interface WidthOptions {
  max: number;
  elapsed: () => number;
  trace: (decision: string) => void;
  /** What is in flight, for `trace`; parts by default. */
  unit?: string;
  /** When requests take longer, fewer may do as well, in ms. */
  longRequestMs?: number;
}

/** More connections must bring at least this share of what they would bring on a line without a common limit. */
const minGain = 0.25;
/** Fewer connections may cost this share of the rate. */
const maxLoss = 0.1;
/** Requests take twice as long as before: fewer connections may do as well. */
const slowdown = 2;
/** When a request takes longer, an interruption loses much of what was transferred: fewer connections may do as well. */
const defaultLongRequestMs = 10_000;
/** Fewer are not tried because of long requests. */
const minWidth = 8;
/** After a decision, the line is left alone for so many rounds. */
const roundsBetweenSteps = 16;
/** Pause after a reduction, in ms: failures within it belong to requests that were sent before. */
const reductionPauseMs = 1_000;

/**
 * How many large requests are in flight. In rounds of as many requests it measures the rate of all, doubles the width while
 * that pays, and reduces it when requests take long and fewer of them are as fast. It is halved when the server is overloaded,
 * and then grows back by about one with each round.
 */
export class AdaptiveWidth {
  readonly max: number;
  /** Not whole while it grows back. */
  #width: number;
  /** Where growing back ends. */
  #target: number;
  #round = 0;
  #measured = { requests: 0, bytes: 0, ms: 0 };
  /** The last width that was kept, and its rate in bytes per ms. */
  #base: { width: number; rate: number } | undefined;
  #roundsToWait = 0;
  #reducedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: WidthOptions) {
    this.max = options.max;
    this.#width = this.#target = options.max;
  }

  get #unit(): string {
    return this.options.unit ?? 'parts';
  }

  get current(): number {
    return Math.floor(this.#width);
  }

  /** Changes with the width: requests of another round are not comparable. */
  get round(): number {
    return this.#round;
  }

  /** A request has succeeded. Grows back after a reduction, by about one for as many requests of weight 1 as run at a time. */
  recover(weight: number): void {
    if (this.#width >= this.#target) return;
    this.#setWidth(Math.min(this.#target, this.#width + weight / this.#width));
  }

  reduce(): void {
    const now = this.options.elapsed();
    if (now - this.#reducedAt < reductionPauseMs) return;
    this.#reducedAt = now;
    this.#base = undefined;
    this.#roundsToWait = roundsBetweenSteps;
    this.#setWidth(Math.max(1, this.#width / 2));
    this.options.trace(`the server is overloaded: ${this.current} ${this.#unit} at a time`);
  }

  /** A request has succeeded that started in `round`, while all connections were in use. */
  measure({ round, bytes, ms }: { round: number; bytes: number; ms: number }): void {
    if (round !== this.#round || this.#width < this.#target) return;
    const measured = this.#measured;
    measured.requests++;
    measured.bytes += bytes;
    measured.ms += ms;
    if (measured.requests < this.current || measured.ms <= 0) return;
    const rate = (measured.bytes / measured.ms) * this.current;
    const requestMs = measured.ms / measured.requests;
    this.#startRound();
    this.#judge(rate, requestMs);
  }

  #judge(rate: number, requestMs: number): void {
    const width = this.current;
    const base = this.#base ?? { width, rate };
    if (width > base.width) {
      const needed = base.rate * (1 + (width / base.width - 1) * minGain);
      if (rate < needed) this.#settle(base, rate);
      else this.#step(Math.min(this.max, width * 2), rate);
    } else if (width < base.width) {
      this.#settle(rate < base.rate * (1 - maxLoss) ? base : { width, rate }, rate);
    } else if (rate < base.rate / slowdown) {
      this.#step(Math.max(1, Math.floor((width * 3) / 4)), rate);
    } else if (this.#roundsToWait > 0) {
      this.#roundsToWait--;
      this.#base = base;
    } else {
      this.#step(this.#nextWidth(requestMs), rate);
    }
  }

  #nextWidth(requestMs: number): number {
    const width = this.current;
    const { longRequestMs = defaultLongRequestMs } = this.options;
    if (requestMs <= longRequestMs) return Math.min(this.max, width * 2);
    return Math.min(width, Math.max(minWidth, Math.floor((width * longRequestMs) / requestMs)));
  }

  /** Tries another width; the next round compares it with this one. */
  #step(width: number, rate: number): void {
    this.#base = { width: this.current, rate };
    if (width === this.current) this.#roundsToWait = roundsBetweenSteps;
    else this.#change(width, rate);
  }

  /** Keeps the width, or returns to the one before. */
  #settle(base: { width: number; rate: number }, rate: number): void {
    this.#base = base;
    this.#roundsToWait = roundsBetweenSteps;
    if (base.width !== this.current) this.#change(base.width, rate);
  }

  #change(width: number, rate: number): void {
    const speed = this.options.unit ? `${(rate * 1000).toFixed(1)}/s` : `${(rate / 1000).toFixed(1)} MB/s`;
    this.options.trace(`${width} ${this.#unit} at a time instead of ${this.current} (${speed})`);
    this.#target = width;
    this.#setWidth(width);
  }

  #setWidth(width: number): void {
    const before = this.current;
    this.#width = width;
    if (this.current !== before) this.#startRound();
  }

  #startRound(): void {
    this.#round++;
    this.#measured = { requests: 0, bytes: 0, ms: 0 };
  }
}
