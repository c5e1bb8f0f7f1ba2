import { dayMs } from '../../kernel/durations.ts';
import { ReplicaSet, type Routing, type Scaling } from '../../platform/scaling.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** Calls of an app, oldest first. Times in ms since 1970. */
export interface CallTrace {
  /** When each was made. */
  at: Float64Array;
  /** How long each ran, in ms. */
  runtimeMs: Float64Array;
  /** {@link LatencyHistogram.bucketOf} of what the caller waits for if the call starts at once. */
  bucket: Uint16Array;
  /** What the way to a replica takes, in ms. */
  overheadMs: number;
  /** Whether each waited for a start, as 0 or 1. */
  wasCold: Uint8Array;
  /** {@link dayOf} when it was made. */
  day: Uint16Array;
  since: number;
  until: number;
}

/** How replicas start, and which one gets a call. */
export interface ReplicaModel {
  routing: Routing;
  /** Whether calls wait for any replica, instead of for the one that was started for them. */
  sharesStarts: boolean;
  starts: StartTimes;
}

/** How long the nth start takes, at a time, in ms. */
type StartTimes = (nth: number, at: number) => number;

export type Replayed = ReturnType<Replay['run']>;

export interface ReplayedDay {
  /** Those that waited for a replica to start. */
  coldStarts: number;
  /** Calls that waited for a start in the replay only, or in the past only. */
  misjudged: number;
  latency: LatencyHistogram;
}

interface VirtualReplica {
  busy: number;
  idleSince: number;
  startedAt: number;
  readyAt: number;
}

/** Plays calls against the rules of the emulator's replicas, on a virtual clock. O(calls), besides busy replicas. */
export function replayCalls(trace: CallTrace, scaling: Scaling, model: ReplicaModel): Replayed {
  const replay = new Replay(trace, scaling, model);
  return replay.run();
}

class Replay {
  readonly #replicas: ReplicaSet<VirtualReplica>;
  /** Calls that end, and replicas that become ready for calls that wait for any. */
  readonly #events = new EventQueue();
  readonly #waiting = new CallQueue();
  readonly #days: ReplayedDay[];
  #starts = 0;
  #starting = 0;
  #livedMs = 0;
  #isLimited = false;

  constructor(
    private readonly trace: CallTrace,
    private readonly scaling: Scaling,
    private readonly model: ReplicaModel,
  ) {
    const { since, until } = trace;
    this.#replicas = new ReplicaSet(model.routing);
    this.#days = emptyDays(since, until);
    for (let kept = 0; kept < scaling.minReplicas; kept++) {
      this.#replicas.add({ busy: 0, idleSince: since, startedAt: since, readyAt: since });
    }
  }

  /** Figures by day in UTC. Limited: with more replicas, a call would have gone otherwise. */
  run() {
    const { at } = this.trace;
    for (let call = 0; call < at.length; call++) {
      const now = at[call] as number;
      this.#passTo(now);
      this.#expire(now);
      this.#arrive(call, now);
    }
    this.#passTo(Number.POSITIVE_INFINITY);
    this.#end();
    return { days: this.#days, replicaSeconds: this.#livedMs / 1000, isLimited: this.#isLimited };
  }

  #passTo(now: number): void {
    for (let event = this.#events.takeUntil(now); event; event = this.#events.takeUntil(now)) {
      const { at, replica, isReady } = event;
      if (isReady) this.#starting--;
      replica.busy = isReady ? 0 : replica.busy - 1;
      replica.idleSince = at;
      this.#serveWaiting(replica, at);
    }
  }

  #expire(now: number): void {
    for (let old = this.#replicas.expired(this.scaling, now); old; old = this.#replicas.expired(this.scaling, now))
      this.#retire(old, old.idleSince + this.scaling.cooldownMs);
  }

  #arrive(call: number, now: number): void {
    const { sharesStarts } = this.model;
    const { concurrency, maxReplicas } = this.scaling;
    const placed = this.#replicas.place(this.scaling, now);
    if (typeof placed === 'object' && !(sharesStarts && placed.readyAt > now)) {
      this.#serve(call, placed, now);
      return;
    }
    if (!sharesStarts && placed === 'start') {
      this.#serve(call, this.#start(now), now);
      return;
    }
    this.#isLimited ||= this.#replicas.members.length >= maxReplicas;
    this.#waiting.push(call);
    const isCovered = this.#waiting.size <= this.#starting * concurrency;
    if (!sharesStarts || isCovered || this.#replicas.members.length >= maxReplicas) return;
    const replica = this.#start(now);
    this.#starting++;
    // Nothing is placed on it before it is ready.
    replica.busy = concurrency;
    this.#events.add({ at: replica.readyAt, replica, isReady: true });
  }

  #start(now: number): VirtualReplica {
    const readyAt = now + this.model.starts(this.#starts++, now);
    const replica = { busy: 0, idleSince: now, startedAt: now, readyAt };
    this.#replicas.add(replica);
    return replica;
  }

  #serve(call: number, replica: VirtualReplica, now: number): void {
    const { at, runtimeMs, bucket, overheadMs, day, wasCold } = this.trace;
    const begin = replica.readyAt > now ? replica.readyAt : now;
    const arrived = at[call] as number;
    const end = begin + (runtimeMs[call] as number);
    replica.busy++;
    this.#events.add({ at: end, replica, isReady: false });
    const today = this.#days[day[call] as number] as ReplayedDay;
    // One that found no replica to wait for, and then a ready one, waited for no start.
    const isCold = replica.readyAt > (this.model.sharesStarts ? arrived : now);
    if (isCold) today.coldStarts++;
    if (isCold !== (wasCold[call] === 1)) today.misjudged++;
    today.latency.add(
      begin === arrived ? (bucket[call] as number) : LatencyHistogram.bucketOf(end - arrived + overheadMs),
    );
  }

  #serveWaiting(replica: VirtualReplica, now: number): void {
    while (this.#waiting.size > 0 && replica.busy < this.scaling.concurrency) {
      this.#serve(this.#waiting.take(), replica, now);
    }
  }

  #retire(replica: VirtualReplica, at: number): void {
    this.#replicas.remove(replica);
    this.#livedMs += Math.max(0, Math.min(at, this.trace.until) - replica.startedAt);
  }

  /** Those that are kept live until the end. */
  #end(): void {
    const { until } = this.trace;
    const { members } = this.#replicas;
    for (const replica of members.toSorted((a, b) => a.idleSince - b.idleSince)) {
      const ends = this.#replicas.mayEnd(this.scaling) ? replica.idleSince + this.scaling.cooldownMs : until;
      this.#retire(replica, ends);
    }
  }
}

/** A day for each of a period. */
export function emptyDays(since: number, until: number): ReplayedDay[] {
  const length = dayOf(until, since) + 1;
  return Array.from({ length }, () => ({ coldStarts: 0, misjudged: 0, latency: new LatencyHistogram() }));
}

/** The number of a day since that of `since`, in UTC. */
export function dayOf(time: number, since: number): number {
  return Math.floor(time / dayMs) - Math.floor(since / dayMs);
}

/** Numbers of calls that wait, first in, first out. */
class CallQueue {
  #calls: number[] = [];
  #first = 0;

  get size(): number {
    return this.#calls.length - this.#first;
  }

  push(call: number): void {
    this.#calls.push(call);
  }

  take(): number {
    const call = this.#calls[this.#first++] as number;
    if (this.#first === this.#calls.length) {
      this.#calls = [];
      this.#first = 0;
    }
    return call;
  }
}

interface ReplicaEvent {
  at: number;
  replica: VirtualReplica;
  /** Whether it became ready; else a call has ended. */
  isReady: boolean;
}

/** What happens next. The soonest is the last: of few at a time, the place of another one is found at once. */
class EventQueue {
  readonly #events: ReplicaEvent[] = [];

  /** Infinity without events. */
  get nextAt(): number {
    return this.#events.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  }

  add(event: ReplicaEvent): void {
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1] as ReplicaEvent).at <= event.at) place--;
    this.#events.splice(place, 0, event);
  }

  /** Undefined if nothing happens until then. */
  takeUntil(time: number): ReplicaEvent | undefined {
    return this.nextAt <= time ? this.#events.pop() : undefined;
  }
}
