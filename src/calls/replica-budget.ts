import { LimitError } from '../kernel/errors.ts';
import { dollars, duration, toMs } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import type { App } from '../platform/contract/apps.ts';
import { type Container, hasStopped, listContainers } from '../platform/contract/containers.ts';
import { tryRequest } from '../platform/waiting/index.ts';

interface Budget {
  app: string;
  /** Undefined if the app cannot be read. */
  facts: AppFacts | undefined;
  /** US dollars. */
  budget: number | undefined;
  /** What limits the calls where the price is not known. */
  otherLimit: string;
}

/** Throws LimitError if a budget cannot be kept, or does not suffice for one replica. */
export function checkBudget({ app, facts, budget, otherLimit }: Budget): void {
  if (budget === undefined) return;
  if (!facts?.price) {
    throw new LimitError(`a budget cannot be kept: what ${app} costs is not known`, {
      why: facts ? 'the platform returned no costPerSecondCents' : 'the app cannot be read with this token',
      fix: `omit --budget, and limit the calls with ${otherLimit}`,
    });
  }
  const { price, cooldownSeconds, minReplicas } = facts;
  const least = minReplicas > 0 ? 0 : price * cooldownSeconds;
  if (least < budget * 100) return;
  throw new LimitError(`the budget of ${dollars(budget * 100)} is too small for one call of ${app}`, {
    why: `a replica is kept for ${duration(cooldownSeconds * 1_000)} after its last call, which costs ${dollars(least)}`,
    fix: `--budget ${(Math.ceil(2 * least) / 100).toFixed(2)}`,
  });
}

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
    private readonly facts: AppFacts,
  ) {
    this.#startedAt = context.platformNow();
    this.#lookedAt = this.#startedAt;
    this.#running = facts.maxReplicas;
  }

  /** US cents, with so many calls that are not over and run for so long. */
  centsIfEndedNow(calls = 0, runtimeMs = 0): number {
    const { price, cooldownSeconds, minReplicas, concurrency } = this.facts;
    // A replica is as busy with one call as with all that it takes at once.
    const work = runtimeMs * Math.max(calls / concurrency, Math.min(calls, this.#running));
    const after = Math.max(0, this.#running - minReplicas) * cooldownSeconds * 1_000;
    return this.centsSoFar() + (price * (work + after)) / 1_000;
  }

  /** US cents, without what is still to come. */
  centsSoFar(): number {
    const runningMs = [...this.#ends.values()].reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
    const since = this.#running * Math.max(0, this.context.platformNow() - this.#lookedAt);
    return (this.facts.price * (runningMs + since)) / 1_000;
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
      const startedAt = Math.max(this.#startedAt, toMs(start) || now);
      const endsAt = toMs(end) || Number.POSITIVE_INFINITY;
      const { from = startedAt } = this.#ends.get(containerId) ?? {};
      this.#ends.set(containerId, { from: Math.min(from, startedAt), to: Math.min(now, endsAt) });
      if (endsAt > now && !hasStopped(container)) this.#running++;
    }
    this.#isVisible = true;
    this.#lookedAt = now;
  }
}

/** What is known of the app's settings. Seconds, and US cents a second for one replica: NaN if that is not known. */
export type AppFacts = ReturnType<typeof factsOf>;

export function factsOf(app: App) {
  const { costPerSecondCents, cooldownPeriodSeconds, minReplicaCount, maxReplicaCount, replicaConcurrency } = app;
  return {
    price: costPerSecondCents || Number.NaN,
    cooldownSeconds: cooldownPeriodSeconds ?? 0,
    minReplicas: minReplicaCount ?? 0,
    maxReplicas: maxReplicaCount ?? 1,
    concurrency: replicaConcurrency ?? 1,
  };
}
