import type { TrafficProfile } from '../state/traffic-profiles.ts';
import type { SeededRandom } from './random.ts';

interface Replica {
  name: string;
  /** When each of its slots becomes free. */
  freeAt: number[];
}

/** The replicas of one day: one starts when no slot is free, and ends after the cooldown. */
export class SimulatedReplicas {
  #running: Replica[] = [];

  constructor(
    readonly profile: TrafficProfile,
    /** Of their names. */
    readonly prefix: string,
    readonly random: SeededRandom,
  ) {}

  /** Assigns a run to a replica, and returns the waits. Runs must be passed in order of time. */
  assign(at: number, runtimeMs: number) {
    const { profile, random } = this;
    const pendingMs = 1 + Math.floor(random.next() * 4);
    const routingMs = 1 + Math.floor(random.next() * 12);
    const seenAt = at + pendingMs + routingMs;
    this.#running = this.#running.filter(({ freeAt }) => busyUntil(freeAt) + profile.cooldown > at);

    const free = this.#running.find((replica) => nextFreeSlot(replica) <= seenAt);
    const coldstartMs =
      free || this.#running.length >= profile.replicas ? 0 : Math.round(random.logNormal(profile.coldstart, 0.25));
    const replica = free ?? (coldstartMs > 0 ? this.#start(seenAt + coldstartMs) : this.#firstToBeFree());
    const startsAt = Math.max(seenAt + coldstartMs, nextFreeSlot(replica));
    replica.freeAt[replica.freeAt.indexOf(nextFreeSlot(replica))] = startsAt + runtimeMs;
    const containerQueueMs = startsAt - seenAt - coldstartMs;
    return { container: replica.name, pendingMs, proxyQueueMs: routingMs + coldstartMs, containerQueueMs, coldstartMs };
  }

  #start(readyAt: number): Replica {
    const freeAt = Array.from({ length: this.profile.concurrency }, () => readyAt);
    const replica = { name: `${this.prefix}-${this.random.hex(5)}`, freeAt };
    this.#running.push(replica);
    return replica;
  }

  #firstToBeFree(): Replica {
    return this.#running.reduce((best, replica) => (nextFreeSlot(replica) < nextFreeSlot(best) ? replica : best));
  }
}

// Several times as fast as Math.min(...freeAt).
function nextFreeSlot({ freeAt }: Replica): number {
  return freeAt.reduce((min, time) => Math.min(time, min));
}

function busyUntil(freeAt: readonly number[]): number {
  return freeAt.reduce((max, time) => Math.max(time, max));
}
