import { type Container, isRunning } from '../../contract/containers.ts';
import { duration } from '../../output/format.ts';
import type { SlotProblem } from './finding.ts';

/** Lists that are this far apart show another time of reading, in ms: some platforms have whole seconds. */
const minApartMs = 1_500;

/**
 * Whether lists of replicas are read anew, or are copies of one. Running replicas that run no longer than before are of a
 * copy. So are those that were read at the same time as before, on a platform that was seen to move that time: what it
 * means is not documented.
 */
export class ReplicaReads {
  #shown = new Map<string, Container>();
  /** When each replica last showed something new. */
  readonly #movedAt = new Map<string, number>();
  /** Whether the time of reading was seen to move. */
  #movesTimes = false;
  #at = 0;
  /** When the lists last showed something new. */
  #newAt = 0;

  see(containers: readonly Container[], at: number): void {
    const running = containers.filter((each) => isRunning(each));
    this.#movesTimes ||= running.some((each) => this.#hasMoved(each, 'timestamp'));
    const isCopy = running.some((each) => this.#stands(each)) && running.every((each) => this.#isSame(each));
    for (const each of running) {
      if (!this.#stands(each) || !this.#isSame(each)) this.#movedAt.set(each.containerId, at);
    }
    if (!isCopy || running.length !== this.#shown.size) this.#newAt = at;
    this.#at = at;
    this.#shown = new Map(running.map((container) => [container.containerId, container]));
  }

  /** What speaks against the lists as evidence. */
  doubt(): SlotProblem | undefined {
    const ms = this.#at - this.#newAt;
    if (ms < minApartMs) return undefined;
    return { reason: `the list of its replicas is a copy, which was not read anew for ${duration(ms)}` };
  }

  /** Whether a replica is listed as it was before, also in what has to change while it runs: it may have ended. */
  standsStill(containerId: string): boolean {
    return this.#at - (this.#movedAt.get(containerId) ?? this.#at) >= minApartMs;
  }

  /** Whether a replica that was there before is shown as it was then, in what has to change. */
  #stands(container: Container): boolean {
    const ran = container.containerRunningTimeMs ?? 0;
    return (
      (ran > 0 && !this.#hasMoved(container, 'containerRunningTimeMs')) || (this.#movesTimes && !!container.timestamp)
    );
  }

  #isSame(container: Container): boolean {
    const isMoved = this.#hasMoved(container, 'timestamp') || this.#hasMoved(container, 'containerRunningTimeMs');
    return this.#shown.has(container.containerId) && !isMoved;
  }

  #hasMoved(container: Container, field: 'timestamp' | 'containerRunningTimeMs'): boolean {
    const before = this.#shown.get(container.containerId);
    return before !== undefined && before[field] !== container[field];
  }
}
