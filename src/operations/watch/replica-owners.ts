import type { Container } from '../../contract/containers.ts';

/**
 * Whose a replica is: of the build that is looked at, probably of that build, of another one, or not known. Only a list
 * of replicas tells.
 */
export type Owner = 'own' | 'likely' | 'other' | 'nobody';

/**
 * Tells the replicas of a build from those of others. One that was there before the build was uploaded is of another, and
 * may answer calls for as long as it takes to go, listed or not.
 */
export class ReplicaOwners {
  readonly #owners = new Map<string, Owner>();

  constructor(
    private readonly build: string,
    /** The replicas that were there before. Undefined: not known. */
    private readonly earlier?: ReadonlySet<string> | undefined,
    /** Whether the build serves alone for long: then a replica without a build is of this one. */
    private readonly isAlone = false,
  ) {
    for (const id of earlier ?? []) this.#owners.set(id, 'other');
  }

  see(containers: readonly Container[]): void {
    for (const { containerId, buildId } of containers) {
      if (buildId) this.#owners.set(containerId, buildId === this.build ? 'own' : 'other');
      else if (!this.#owners.has(containerId) && (this.isAlone || this.earlier))
        this.#owners.set(containerId, 'likely');
    }
  }

  of(containerId: string): Owner {
    return this.#owners.get(containerId) ?? 'nobody';
  }

  isOwn(containerId: string): boolean {
    return /^(own|likely)$/.test(this.of(containerId));
  }
}
