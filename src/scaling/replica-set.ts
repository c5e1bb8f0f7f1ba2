/** How an app scales. */
export interface Scaling {
  minReplicas: number;
  maxReplicas: number;
  /** Calls that a replica runs at once. */
  concurrency: number;
  cooldownMs: number;
}

/** What the rules know of a replica. */
export interface ReplicaLoad {
  /** Calls that it has. */
  busy: number;
  /** When its last call ended, in ms. */
  idleSince: number;
}

/** Which of several replicas with a free slot gets a call: the oldest one, the next in turn, or the one that was used last. */
export const routings = ['first', 'in turn', 'last used'] as const;
export type Routing = (typeof routings)[number];

/**
 * The replicas of an app, and the rules by which they get calls, start and end. It knows no clock and no process: the
 * emulator runs apps by it, and `gantry tune` replays calls by it.
 */
export class ReplicaSet<Replica extends ReplicaLoad> {
  /** The oldest first. */
  readonly members: Replica[] = [];
  /** Its place had the last call. */
  #last = -1;

  constructor(private readonly routing: Routing = 'first') {}

  /** What gets the next call: a replica, one that is to be started, or nothing yet. */
  place({ concurrency, maxReplicas }: Scaling): Replica | 'start' | 'wait' {
    const free = this.#free(concurrency);
    if (free) return free;
    return this.members.length < maxReplicas ? 'start' : 'wait';
  }

  add(member: Replica): void {
    this.members.push(member);
  }

  remove(member: Replica): void {
    const at = this.members.indexOf(member);
    if (at >= 0) this.members.splice(at, 1);
  }

  /** Whether one may end: the app has more than it keeps. */
  mayEnd({ minReplicas }: Scaling): boolean {
    return this.members.length > minReplicas;
  }

  /** The replica whose cooldown was over first; undefined if there is none, or if it is kept. */
  expired(scaling: Scaling, now: number): Replica | undefined {
    if (!this.mayEnd(scaling)) return undefined;
    let oldest: Replica | undefined;
    for (const member of this.members) {
      const isOver = member.busy === 0 && now - member.idleSince > scaling.cooldownMs;
      if (isOver && (!oldest || member.idleSince < oldest.idleSince)) oldest = member;
    }
    return oldest;
  }

  #free(concurrency: number): Replica | undefined {
    if (this.routing === 'last used') return this.#lastUsed(concurrency);
    const { members, routing } = this;
    const first = routing === 'first' ? 0 : this.#last + 1;
    for (let step = 0; step < members.length; step++) {
      const at = (first + step) % members.length;
      const member = members[at];
      if (!member || member.busy >= concurrency) continue;
      this.#last = at;
      return member;
    }
    return undefined;
  }

  #lastUsed(concurrency: number): Replica | undefined {
    let found: Replica | undefined;
    for (const member of this.members) {
      if (member.busy < concurrency && (!found || member.idleSince > found.idleSince)) found = member;
    }
    return found;
  }
}
