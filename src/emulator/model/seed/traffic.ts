import { onceFor } from '../../../kernel/once.ts';
import type { AppRecord, RunRecord, Traffic } from '../state/records.ts';
import { type TrafficProfile, trafficProfiles } from '../state/traffic-profiles.ts';
import { day, hour, type TimeRange } from '../time.ts';
import { createRandom, type SeededRandom } from './random.ts';

/** The generated runs of an app in a range, newest first. */
export function generateRuns(app: AppRecord, range: TimeRange): RunRecord[] {
  const { traffic } = app;
  if (!traffic) return [];
  const start = Math.max(range.start, traffic.since);
  const calls: RunRecord[] = [];
  for (let date = dayOf(range.end); date >= dayOf(start); date -= 1) {
    const ofDay = generatedRunsOf(app, traffic, date);
    for (const call of ofDay) if (call.createdAt >= start && call.createdAt <= range.end) calls.push(call);
  }
  return calls;
}

/** Finds a generated run by its id, which contains its time. */
export function findGeneratedRun(app: AppRecord, id: string): RunRecord | undefined {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  const at = Number.parseInt(high + low, 16);
  return Number.isNaN(at) ? undefined : generateRuns(app, { start: at, end: at }).find((call) => call.id === id);
}

export function replicaNamePrefix({ id }: AppRecord, { seed, rhythm }: Pick<Traffic, 'seed' | 'rhythm'>): string {
  return `${id}-${createRandom(`${seed}/${rhythm}`).hex(8)}`;
}

/** Keeps what is made of each day of an app's traffic: making it is most of the work of every list and chart. */
export function keptByDay<T>(make: (app: AppRecord, traffic: Traffic, date: number) => T): typeof make {
  const kept = new WeakMap<Traffic, Map<number, T>>();
  return (app, traffic, date) => {
    const days = onceFor(kept, traffic, () => new Map());
    return onceFor(days, date, () => make(app, traffic, date));
  };
}

/** Newest first. Records are replaced and never changed, so they can be shared. */
export const generatedRunsOf: typeof generateDay = keptByDay(generateDay);

/** Newest first. */
function generateDay(app: AppRecord, { seed, rhythm: name, since }: Traffic, date: number): readonly RunRecord[] {
  const profile: TrafficProfile = trafficProfiles[name];
  const random = createRandom(`${seed}/${name}/${date - dayOf(since)}`);
  const replicas = new SimulatedReplicas(profile, replicaNamePrefix(app, { seed, rhythm: name }), random);
  return arrivals(profile, date, random)
    .map((at) => {
      const call = random.pick(profile.calls);
      const statusCode = pickStatusCode(profile, random);
      const runtime = random.logNormal(call.runtime, call.spread);
      // A failed or canceled run ends at any time before.
      const runtimeMs = Math.ceil(statusCode === 200 ? runtime : runtime * random.next());
      const served = replicas.assign(at, runtimeMs);
      // Created by the thousand: a literal is several times as fast as a spread.
      const run: RunRecord = {
        id: runIdAt(at, random),
        app: app.id,
        createdAt: at,
        functionName: call.functionName,
        method: 'POST',
        async: call.async ?? false,
        container: served.container,
        pendingMs: served.pendingMs,
        proxyQueueMs: served.proxyQueueMs,
        containerQueueMs: served.containerQueueMs,
        coldstartMs: served.coldstartMs,
        runtimeMs,
        statusCode,
      };
      if (call.webhook) run.webhookEndpoint = call.webhook;
      return run;
    })
    .reverse();
}

function dayOf(time: number): number {
  return Math.floor(time / day);
}

/** Distinct times of runs, distributed over the hours of the profile. */
function arrivals({ hours, weekend }: TrafficProfile, date: number, random: SeededRandom): number[] {
  const part = isWeekend(date) ? weekend : 1;
  return hours
    .flatMap((mean, index) =>
      Array.from({ length: random.count(mean * part) }, () => Math.floor(date * day + (index + random.next()) * hour)),
    )
    .sort((a, b) => a - b)
    .filter((at, index, all) => at !== all[index - 1]);
}

/** `date` is days since 1970-01-01, a Thursday. */
function isWeekend(date: number): boolean {
  return (date + 4) % 7 === 6 || (date + 4) % 7 === 0;
}

/** Some runs are canceled (0), and of some the caller disconnects (-1). */
function pickStatusCode({ failing, failures }: TrafficProfile, random: SeededRandom): number {
  const draw = random.next();
  if (draw < 0.006) return 0;
  if (draw < 0.01) return -1;
  return draw < 0.01 + failing ? random.pick(failures) : 200;
}

/** A version 7 UUID, which begins with its time. */
function runIdAt(at: number, random: SeededRandom): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.hex(3)}-8${random.hex(3)}-${random.hex(6)}${random.hex(6)}`;
}

interface SeededReplica {
  name: string;
  /** When each of its slots becomes free. */
  freeAt: number[];
}

/** The replicas of one day: one starts when no slot is free, and ends after the cooldown. */
class SimulatedReplicas {
  #running: SeededReplica[] = [];

  constructor(
    readonly profile: TrafficProfile,
    /** The beginning of their names. */
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

  #start(readyAt: number): SeededReplica {
    const freeAt = Array.from({ length: this.profile.concurrency }, () => readyAt);
    const replica = { name: `${this.prefix}-${this.random.hex(5)}`, freeAt };
    this.#running.push(replica);
    return replica;
  }

  #firstToBeFree(): SeededReplica {
    return this.#running.reduce((best, replica) => (nextFreeSlot(replica) < nextFreeSlot(best) ? replica : best));
  }
}

// Several times as fast as Math.min(...freeAt).
function nextFreeSlot({ freeAt }: SeededReplica): number {
  return freeAt.reduce((min, time) => Math.min(time, min));
}

function busyUntil(freeAt: readonly number[]): number {
  return freeAt.reduce((max, time) => Math.max(time, max));
}
