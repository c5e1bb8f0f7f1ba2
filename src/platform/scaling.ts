/** How an app's replicas get calls, start and end: one model for the emulator and for predictions. */

export interface Scaling {
  minReplicas: number;
  maxReplicas: number;
  concurrency: number;
  cooldownMs: number;
}

interface ReplicaLoad {
  busy: number;
  idleSince: number;
  /** When it can run calls, in ms, if that matters. */
  readyAt?: number;
}

/** The oldest, the next in turn, or the last used one; of the latter two, one that is ready, if there is one. */
export const routings = ['first', 'in turn', 'last used'] as const;
export type Routing = (typeof routings)[number];

/** It knows no clock and no process: the emulator runs apps by it, and `gantry apps tune` replays calls by it. */
export class ReplicaSet<Replica extends ReplicaLoad> {
  /** The oldest first. */
  readonly members: Replica[] = [];
  /** Its place had the last call. */
  #last = -1;

  constructor(private readonly routing: Routing = 'first') {}

  /** What gets the next call: a replica, one that is to be started, or nothing yet. */
  place({ concurrency, maxReplicas }: Scaling, now = Number.POSITIVE_INFINITY): Replica | 'start' | 'wait' {
    const free = this.#free(concurrency, now);
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

  #free(concurrency: number, now: number): Replica | undefined {
    if (this.routing === 'first') return this.members.find(({ busy }) => busy < concurrency);
    return this.#choose(concurrency, now) ?? this.#choose(concurrency, Number.POSITIVE_INFINITY);
  }

  #choose(concurrency: number, now: number): Replica | undefined {
    return this.routing === 'in turn' ? this.#inTurn(concurrency, now) : this.#lastUsed(concurrency, now);
  }

  #inTurn(concurrency: number, now: number): Replica | undefined {
    const { members } = this;
    for (let step = 1; step <= members.length; step++) {
      const at = (this.#last + step) % members.length;
      const member = members[at];
      if (!member || member.busy >= concurrency || (member.readyAt ?? 0) > now) continue;
      this.#last = at;
      return member;
    }
    return undefined;
  }

  #lastUsed(concurrency: number, now: number): Replica | undefined {
    let freeReplica: Replica | undefined;
    for (const member of this.members) {
      const isFree = member.busy < concurrency && (member.readyAt ?? 0) <= now;
      if (isFree && (!freeReplica || member.idleSince > freeReplica.idleSince)) freeReplica = member;
    }
    return freeReplica;
  }
}
