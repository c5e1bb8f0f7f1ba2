import type { Context } from '../../platform/context.ts';
import { type Container, hasStopped, listContainers } from '../../platform/contract/containers.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import type { AppFacts } from './app-facts.ts';

/** Replicas are looked at this often, in ms. */
const lookMs = 5_000;

/**
 * What the replicas of an app have cost since a moment, and what they will cost until their cooldown has passed. Between
 * two looks at them, those that run are assumed to go on; where none can be seen, all that the app may have.
 */
export class ReplicaSpending {
  readonly #startedAt: number;
  readonly #ends = new Map<string, { from: number; to: number }>();
  #running: number;
  #lookedAt: number;
  #isLooking = false;
  #isVisible = false;

  constructor(
    private readonly context: Pick<Context, 'apiWithSignal' | 'signal' | 'project' | 'platformNow'>,
    private readonly app: string,
    private readonly facts: AppFacts & { price: number },
  ) {
    this.#startedAt = context.platformNow();
    this.#lookedAt = this.#startedAt;
    this.#running = facts.maxReplicas;
  }

  /** US cents, with so many calls that are not over and run for so long. */
  centsIfEndedNow(calls = 0, runtimeMs = 0): number {
    const { price, cooldown, minReplicas, concurrency } = this.facts;
    // A replica is as busy with one call as with all that it takes at once.
    const work = runtimeMs * Math.max(calls / concurrency, Math.min(calls, this.#running));
    const after = Math.max(0, this.#running - minReplicas) * cooldown * 1_000;
    return this.centsSoFar() + (price * (work + after)) / 1_000;
  }

  /** US cents, without what is still to come. */
  centsSoFar(): number {
    const seen = [...this.#ends.values()].reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
    const since = this.#running * Math.max(0, this.context.platformNow() - this.#lookedAt);
    return (this.facts.price * (seen + since)) / 1_000;
  }

  /** Looks at the replicas if the last look is old enough. Does not wait for it. */
  lookNowAndThen(): void {
    const now = this.context.platformNow();
    if (!this.#isLooking && (!this.#isVisible || now - this.#lookedAt >= lookMs)) void this.look();
  }

  async look(): Promise<void> {
    this.#isLooking = true;
    const { project } = this.context;
    const containers = await tryRequest(this.context, (api) => api(listContainers, { project, app: this.app }));
    if (containers?.length) this.#take(containers);
    this.#isLooking = false;
  }

  #take(containers: readonly Container[]): void {
    const now = this.context.platformNow();
    this.#running = 0;
    for (const container of containers) {
      const { containerId, containerStartTimestamp: start, containerTerminationTimestamp: end } = container;
      const from = Math.max(this.#startedAt, Date.parse(start ?? '') || now);
      const endsAt = Date.parse(end ?? '') || Number.POSITIVE_INFINITY;
      const hasEnded = endsAt <= now || hasStopped(container);
      const known = this.#ends.get(containerId);
      this.#ends.set(containerId, { from: Math.min(known?.from ?? from, from), to: Math.min(now, endsAt) });
      if (!hasEnded) this.#running++;
    }
    this.#isVisible = true;
    this.#lookedAt = now;
  }
}
