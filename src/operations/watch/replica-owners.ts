import { type Container, hasStopped } from '../../contract/containers.ts';

/**
 * Whose a replica is: of the build that is looked at, of that build unless it is of the one before, of another one, or not
 * known. Only a list of replicas tells.
 */
export type Owner = 'own' | 'likely' | 'other' | 'nobody';

/** How long replicas of the build before may take to go, in ms. */
export const goneMs = 120_000;

interface Known {
  /** The replicas that were there before the build was uploaded. Undefined: not known. */
  earlier?: ReadonlySet<string> | undefined;
  /** Whether the build has just been made: those that were there before are not known otherwise. */
  isNew: boolean;
  /** Whether no other build has served for long enough: then a replica without a build is of this one. */
  isAlone: boolean;
  /** Since when it serves at least, in ms of a clock that does not jump. */
  since?: number;
}

/**
 * Tells the replicas of a build from those of others. One that was there before the build was uploaded is of another, and
 * may answer calls for as long as it takes to go, listed or not. So may one that calls have woken while it was made: where
 * the list shows no builds, a replica is certainly of this one only if it has outlived those.
 */
export class ReplicaOwners {
  readonly #owners = new Map<string, Owner>();
  #since: number | undefined;

  constructor(
    private readonly build: string,
    private readonly known: Known,
  ) {
    this.#since = known.since;
    for (const id of known.earlier ?? []) this.#owners.set(id, 'other');
  }

  see(containers: readonly Container[], at: number): void {
    const { earlier, isNew, isAlone } = this.known;
    this.#since ??= at;
    for (const container of containers) {
      const { containerId, buildId } = container;
      const owner = this.#owners.get(containerId);
      const isLeft = at - this.#since >= goneMs && !container.isTerminating && !hasStopped(container);
      if (buildId) this.#owners.set(containerId, buildId === this.build ? 'own' : 'other');
      else if (owner === 'likely' ? isLeft : isAlone && !owner) this.#owners.set(containerId, 'own');
      else if (!owner && (earlier || !isNew)) this.#owners.set(containerId, 'likely');
    }
  }

  of(containerId: string): Owner {
    return this.#owners.get(containerId) ?? 'nobody';
  }

  /** What is certain speaks against a build. Without a replica: what all show together. */
  isCertain(containerId: string | undefined): boolean {
    const owners = containerId === undefined ? [...this.#owners.values()] : [this.of(containerId)];
    return !owners.includes('likely');
  }

  isOwn(containerId: string): boolean {
    return /^(own|likely)$/.test(this.of(containerId));
  }
}
