import { dayMs, minuteMs } from '../../kernel/durations.ts';
import { onceFor } from '../../kernel/once.ts';
import type { CallRow, RunDay } from '../run-mirror/index.ts';

/** Calls run for 12 hours at most (docs/platform.md#runs): what is longer is no duration. */
const longestCallMs = dayMs;

/** Times in ms since 1970, cooldowns in seconds. */
interface ReplicaTimeOptions {
  since: number;
  /** Calls that were made before may run in the period, but are not of it. At most `since`. */
  countFrom: number;
  until: number;
  /** Cooldowns for which the time that replicas live is wanted. */
  cooldowns: readonly number[];
}

/** What the calls of a period did on one day, in UTC. */
export interface DayOfCalls {
  calls: number;
  coldStarts: number;
  busySeconds: number;
}

/** Where a replica is, by its calls. For each cooldown, when the life of the replica began. */
interface ReplicaState {
  lastEnd: number;
  startedAt: Float64Array;
}

/**
 * How long the replicas of an app worked, and how long they live for other values of the cooldown and of min_replicas: a
 * replica lives from its start until the cooldown has passed since its last call (docs/platform.md#costs-and-invoices). From
 * runs that are added oldest first.
 */
export class ReplicaTime {
  calls = 0;
  /** Calls that do not say where or how long they ran. */
  unknownCalls = 0;
  coldStarts = 0;
  busySeconds = 0;
  /** When the last call was made; undefined without one. */
  lastCall: number | undefined;
  /** Days by their midnight. */
  readonly days = new Map<number, DayOfCalls>();
  readonly #coldStartMs: number[] = [];
  readonly #runtimeMs: number[] = [];
  readonly #replicas = new Map<string, ReplicaState>();
  /** For each cooldown, the seconds that replicas live in each minute, and how many start. */
  readonly #alive: Float32Array[];
  readonly #starts: number[];

  constructor(private readonly options: ReplicaTimeOptions) {
    const { since, until, cooldowns } = options;
    const minutes = Math.max(1, Math.ceil((until - since) / minuteMs));
    this.#alive = cooldowns.map(() => new Float32Array(minutes));
    this.#starts = cooldowns.map(() => 0);
  }

  add({ day, runs }: RunDay, rows: Iterable<CallRow>): void {
    for (const row of rows) {
      const { at, runtimeMs, coldStartMs, queueMs, replica } = runs.timing(row);
      const start = at + queueMs;
      const isWorkKnown = this.#work(replica, start, start + runtimeMs, coldStartMs);
      if ((at || day + dayMs - 1) < this.options.countFrom) continue;
      this.#count(at, coldStartMs);
      if (isWorkKnown) this.#runtimeMs.push(runtimeMs);
      else this.unknownCalls++;
    }
  }

  /** After the last run. */
  finish(): this {
    for (const { lastEnd, startedAt } of this.#replicas.values()) {
      for (const index of startedAt.keys()) this.#live(index, startedAt[index] as number, lastEnd);
    }
    this.#replicas.clear();
    return this;
  }

  /** How long replicas live with one of the cooldowns, and at least `minReplicas` of them since `minSince`, in seconds. */
  replicaSeconds(cooldown: number, minReplicas: number, minSince = this.options.since): number {
    const { since, until } = this.options;
    const alive = this.#alive[this.#indexOf(cooldown)] ?? [];
    let seconds = 0;
    for (let minute = 0; minute < alive.length; minute++) {
      const begin = since + minute * minuteMs;
      const keptMs = Math.max(0, Math.min(begin + minuteMs, until) - Math.max(begin, minSince));
      seconds += Math.max((minReplicas * keptMs) / 1_000, alive[minute] as number);
    }
    return seconds;
  }

  /** How many replicas start with one of the cooldowns. */
  starts(cooldown: number): number {
    return this.#starts[this.#indexOf(cooldown)] ?? 0;
  }

  /** The median cold start, over the calls that had one. */
  medianColdStartMs(): number {
    return median(this.#coldStartMs);
  }

  medianRuntimeMs(): number {
    return median(this.#runtimeMs);
  }

  #indexOf(cooldown: number): number {
    return this.options.cooldowns.indexOf(cooldown);
  }

  #count(at: number, coldStartMs: number): void {
    const day = this.#day(at);
    this.calls++;
    day.calls++;
    if (!Number.isNaN(at)) this.lastCall = Math.max(this.lastCall ?? 0, at);
    if (coldStartMs === 0) return;
    this.coldStarts++;
    day.coldStarts++;
    this.#coldStartMs.push(coldStartMs);
  }

  /** Returns whether it is known which replica worked when: none did for a call that was refused. Called for each of a million runs. */
  #work(name: string | undefined, start: number, end: number, coldStartMs: number): boolean {
    if (name === undefined || !(end <= start + longestCallMs)) return end === start;
    const replica = this.#replicas.get(name);
    this.#run(Math.max(start, replica?.lastEnd ?? 0), end);
    if (!replica) {
      const startedAt = Float64Array.from(this.options.cooldowns, () => start - coldStartMs);
      this.#replicas.set(name, { lastEnd: end, startedAt });
      return true;
    }
    const { cooldowns } = this.options;
    for (let index = 0; index < cooldowns.length; index++) {
      if (start - replica.lastEnd <= (cooldowns[index] as number) * 1000) continue;
      this.#live(index, replica.startedAt[index] as number, replica.lastEnd);
      replica.startedAt[index] = start - coldStartMs;
    }
    replica.lastEnd = Math.max(replica.lastEnd, end);
    return true;
  }

  /** A replica ran calls: on each day as long as the bill of the day has it. */
  #run(start: number, end: number): void {
    const to = Math.min(end, this.options.until);
    for (let at = Math.max(start, this.options.countFrom); at < to; ) {
      const next = Math.min(to, (Math.floor(at / dayMs) + 1) * dayMs);
      const seconds = (next - at) / 1000;
      this.busySeconds += seconds;
      this.#day(at).busySeconds += seconds;
      at = next;
    }
  }

  /** A replica lived from its start until its cooldown had passed. */
  #live(index: number, startedAt: number, lastEnd: number): void {
    const { since, countFrom, until, cooldowns } = this.options;
    if (startedAt >= countFrom) this.#starts[index] = (this.#starts[index] as number) + 1;
    const alive = this.#alive[index] as Float32Array;
    const to = Math.min(until, lastEnd + (cooldowns[index] as number) * 1000) - since;
    for (let at = Math.max(0, startedAt - since); at < to; ) {
      const minute = Math.floor(at / minuteMs);
      const next = Math.min(to, (minute + 1) * minuteMs);
      alive[minute] = (alive[minute] as number) + (next - at) / 1000;
      at = next;
    }
  }

  #day(at: number): DayOfCalls {
    const midnight = Math.floor((Number.isNaN(at) ? this.options.since : at) / dayMs) * dayMs;
    return onceFor(this.days, midnight, () => ({ calls: 0, coldStarts: 0, busySeconds: 0 }));
  }
}

/** The upper one of an even number of values; 0 without any. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
