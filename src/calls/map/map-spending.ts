import { roundCents } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type AppFacts, ReplicaSpending } from '../replica-budget.ts';

/** US cents. */
export interface MapCost {
  /** The cost with the cooldown of the replicas and, before the end, with the calls in flight. */
  soFar: number;
  /** What the other inputs cost at this price; undefined before a call has ended, and where it rounds to nothing. */
  left: number | undefined;
}

/** So many of the last calls say how long one takes. */
const rememberedCalls = 20;

/** What the calls of a map cost, and whether one more is within the budget. */
export class MapSpending {
  /** What replicas cost, from the first call on. */
  #replicas: ReplicaSpending | undefined;
  readonly #begun = new Set<{ at: number }>();
  #ended = 0;
  /** How long a call takes, in ms. */
  #meanMs = 0;

  constructor(
    private readonly context: Context,
    private readonly app: string,
    private readonly facts: AppFacts | undefined,
    private readonly budgetCents: number | undefined,
  ) {}

  /** A call is on its way. Returns what ends it. */
  begin(): () => Promise<void> {
    if (!this.#replicas) this.#startSpending();
    const call = { at: this.context.elapsed() };
    this.#begun.add(call);
    return async () => {
      this.#begun.delete(call);
      this.#ended++;
      this.#meanMs += (this.context.elapsed() - call.at - this.#meanMs) / Math.min(this.#ended, rememberedCalls);
      // Before there are many: how many replicas one call has started.
      if (this.#ended === 1 && this.budgetCents !== undefined) await this.look();
    };
  }

  async look(): Promise<void> {
    if (!this.context.signal.aborted) await this.#replicas?.look();
  }

  lookNowAndThen(): void {
    this.#replicas?.lookNowAndThen();
  }

  /**
   * How many calls may be in flight. With a budget, the first one is made alone: it says how long one takes. Where another one
   * may cost more than is left, those in flight are waited for: they may take less than is assumed.
   */
  limit(width: number): number {
    if (this.budgetCents === undefined) return width;
    return this.#ended > 0 && this.#fitsOneMore() ? width : 1;
  }

  /** Whether not even one more call is within the budget. */
  get isSpent(): boolean {
    return this.#ended > 0 && this.#begun.size === 0 && !this.#fitsOneMore();
  }

  /** Whether the budget is used up, although calls are in flight: none of them may be repeated. */
  get isExceeded(): boolean {
    return (
      this.#ended > 0 && (this.#replicas?.centsIfEndedNow() ?? 0) >= (this.budgetCents ?? Number.POSITIVE_INFINITY)
    );
  }

  /** Undefined if the price of the app is not known. */
  cost(inputsLeft: number): MapCost | undefined {
    if (!this.facts?.price) return undefined;
    if (!this.#replicas) return { soFar: 0, left: undefined };
    const soFar = this.#centsWith(0) ?? 0;
    const left = this.#ended > 0 ? (this.#replicas.centsSoFar() / this.#ended) * inputsLeft : undefined;
    return { soFar, left: roundCents(left) || undefined };
  }

  #startSpending(): void {
    const { context, app, facts } = this;
    if (!facts?.price) return;
    this.#replicas = new ReplicaSpending(context, app, facts);
    this.#replicas.lookNowAndThen();
  }

  #fitsOneMore(): boolean {
    return this.budgetCents === undefined || (this.#centsWith(1) ?? 0) < this.budgetCents;
  }

  /** What is paid if so many calls are made after those in flight. */
  #centsWith(more: number): number | undefined {
    const now = this.context.elapsed();
    let restMs = more * this.#meanMs;
    for (const { at } of this.#begun) restMs += Math.max(0, this.#meanMs - (now - at));
    const calls = this.#begun.size + more;
    return this.#replicas?.centsIfEndedNow(calls, calls > 0 ? restMs / calls : 0);
  }
}
