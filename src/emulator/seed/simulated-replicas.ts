import type { SeededRandom } from './random.ts';
import type { TrafficProfile } from './traffic-profiles.ts';

interface Replica {
  name: string;
  /** When each of its places is free. */
  freeAt: number[];
}

/** The replicas of a day: one starts when a call finds no free place, and ends when it had nothing to do for long. */
export class SimulatedReplicas {
  #up: Replica[] = [];

  constructor(
    readonly rhythm: TrafficProfile,
    /** What their names begin with. */
    readonly prefix: string,
    readonly chance: SeededRandom,
  ) {}

  /** Finds a place for a call, and tells where and how long it waits for it. Calls come in the order of time. */
  assign(at: number, runtimeMs: number) {
    const { rhythm, chance } = this;
    const pendingMs = 1 + Math.floor(chance.next() * 4);
    const routingMs = 1 + Math.floor(chance.next() * 12);
    const seenAt = at + pendingMs + routingMs;
    this.#up = this.#up.filter(({ freeAt }) => busyUntil(freeAt) + rhythm.cooldown > at);

    const free = this.#up.find((replica) => nextFreeSlot(replica) <= seenAt);
    const coldstartMs =
      free || this.#up.length >= rhythm.replicas ? 0 : Math.round(chance.logNormal(rhythm.coldstart, 0.25));
    const replica = free ?? (coldstartMs > 0 ? this.#start(seenAt + coldstartMs) : this.#soonest());
    const startsAt = Math.max(seenAt + coldstartMs, nextFreeSlot(replica));
    replica.freeAt[replica.freeAt.indexOf(nextFreeSlot(replica))] = startsAt + runtimeMs;
    const containerQueueMs = startsAt - seenAt - coldstartMs;
    return { container: replica.name, pendingMs, proxyQueueMs: routingMs + coldstartMs, containerQueueMs, coldstartMs };
  }

  #start(readyAt: number): Replica {
    const freeAt = Array.from({ length: this.rhythm.concurrency }, () => readyAt);
    const replica = { name: `${this.prefix}-${this.chance.hex(5)}`, freeAt };
    this.#up.push(replica);
    return replica;
  }

  #soonest(): Replica {
    return this.#up.reduce((best, replica) => (nextFreeSlot(replica) < nextFreeSlot(best) ? replica : best));
  }
}

// Not by spreading a list over Math.min: that would cost more than all the rest of a call.
function nextFreeSlot({ freeAt }: Replica): number {
  return freeAt.reduce((least, time) => Math.min(time, least));
}

function busyUntil(freeAt: readonly number[]): number {
  return freeAt.reduce((most, time) => Math.max(time, most));
}
