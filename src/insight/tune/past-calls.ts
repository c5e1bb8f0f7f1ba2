import type { CallRow, RunDay } from '../run-mirror/index.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { type CallTrace, dayOf, emptyDays, type ReplayedDay } from './replay.ts';

/** A start of a replica that a call waited for. Times in ms. */
export interface PastStart {
  at: number;
  ms: number;
  /** No other call was running or waiting: the call waited for all of the start. */
  isAlone: boolean;
}

/** The calls of an app as they were, from runs that are added oldest first. */
export class PastCalls {
  /** Calls that do not say when or how long they ran: they are not replayed. */
  unknown = 0;
  readonly starts: PastStart[] = [];
  /** Run times in ms, of the first calls in a replica that ran others meanwhile, and of those that were alone. */
  readonly overlapping: number[] = [];
  readonly alone: number[] = [];
  /** How many calls a replica ran at once at most. */
  mostAtOnce = 0;
  readonly days: ReplayedDay[];
  readonly #at: number[] = [];
  readonly #runtimeMs: number[] = [];
  readonly #wasCold: number[] = [];
  /** Waits of calls that waited for no start, in buckets. */
  readonly #queue = new LatencyHistogram();
  /** When calls end, by replica. */
  readonly #replicas = new Map<string, number[]>();
  /** When the last of the calls so far ends. */
  #busyUntil = 0;

  constructor(
    readonly since: number,
    readonly until: number,
  ) {
    this.days = emptyDays(since, until);
  }

  get length(): number {
    return this.#at.length;
  }

  add({ runs }: RunDay, rows: Iterable<CallRow>): void {
    for (const row of rows) {
      const { at, runtimeMs, ...waited } = runs.timing(row);
      if (Number.isNaN(at + runtimeMs)) this.unknown++;
      else this.addCall(at, runtimeMs, waited);
    }
  }

  addCall(at: number, runtime: number, waited: Waited): void {
    const { coldStartMs, queueMs } = waited;
    const day = this.days[dayOf(at, this.since)];
    if (!day) return;
    this.#at.push(at);
    this.#runtimeMs.push(runtime);
    this.#wasCold.push(coldStartMs > 0 ? 1 : 0);
    day.latency.add(LatencyHistogram.bucketOf(queueMs + runtime));
    if (coldStartMs > 0) day.coldStarts++;
    else this.#queue.add(LatencyHistogram.bucketOf(queueMs));
    this.#occupy(at, runtime, waited);
    this.#busyUntil = Math.max(this.#busyUntil, at + queueMs + runtime);
  }

  /** What is replayed. */
  trace(): CallTrace {
    const overheadMs = this.#queue.size === 0 ? 0 : this.#queue.quantile(0.1);
    const runtimeMs = Float64Array.from(this.#runtimeMs);
    const day = Uint16Array.from(this.#at, (at) => dayOf(at, this.since));
    const bucket = Uint16Array.from(runtimeMs, (ms) => LatencyHistogram.bucketOf(ms + overheadMs));
    return {
      at: Float64Array.from(this.#at),
      runtimeMs,
      bucket,
      overheadMs,
      wasCold: Uint8Array.from(this.#wasCold),
      day,
      since: this.since,
      until: this.until,
    };
  }

  #occupy(at: number, runtime: number, { coldStartMs, queueMs, replica }: Waited): void {
    const replicaCalls = this.#replicas.get(replica ?? '');
    const start = at + queueMs;
    // A later call of the same start waited for a part of it only.
    const startMs = replicaCalls && replica !== undefined ? 0 : coldStartMs;
    if (startMs > 0) this.starts.push({ at, ms: startMs, isAlone: at >= this.#busyUntil });
    if (replica === undefined) return;
    const ends = (replicaCalls ?? []).filter((end) => end > start);
    const sample = ends.length > 0 ? this.overlapping : this.alone;
    if (sample.length < maxSample) sample.push(runtime);
    ends.push(start + runtime);
    this.mostAtOnce = Math.max(this.mostAtOnce, ends.length);
    this.#replicas.set(replica, ends);
  }
}

/** Enough for a median. */
const maxSample = 10_000;

type Waited = Omit<ReturnType<RunDay['runs']['timing']>, 'at' | 'runtimeMs'>;
