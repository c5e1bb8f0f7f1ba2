/** What a bench measured. Null is what nobody has told. */
export interface BenchReport {
  app: string;
  function: string;
  steps: BenchStep[];
  /** Calls a second of the highest step that the app kept up with, and of the lowest one that it did not. */
  holdsCallsPerSecond: number | null;
  breaksCallsPerSecond: number | null;
  /** What the settings allow: replicas x calls at once / time of a call. */
  allows: { callsPerSecond: number; replicas: number; concurrency: number; appMs: number } | null;
  calls: number;
  /** How many of the answered calls the platform has a run of. */
  foundRuns: number;
  /** Calls that got no response in time and whose run is not known to have ended: the app is still busy with them. */
  unfinished: number;
  /** Ids of runs that were made meanwhile and had not ended: those of such calls, and of other callers. */
  openRuns: string[];
  /** US cents for replicas, from the first call until their cooldown has passed after what is unfinished. */
  costCents: number | null;
  budgetCents: number | null;
  /** Why it ended before all calls were made. */
  stoppedBy: 'budget' | 'interrupt' | null;
  /** Second by second, for the chart. */
  seconds: BenchSecond[];
}

/** Calls that were made at one rate. Times in ms, of calls that succeeded or got no response in time. */
export interface BenchStep {
  callsPerSecond: number;
  calls: number;
  succeeded: number;
  failures: { what: string; calls: number }[];
  p50Ms: number | null;
  p90Ms: number | null;
  p99Ms: number | null;
  p999Ms: number | null;
  maxMs: number | null;
  /** Where the time of a call went, on average: of calls that succeeded and have a run. They add up to `meanMs`. */
  parts: CallParts | null;
  coldStarts: number | null;
  /** Replicas that ran calls. */
  replicas: number | null;
  centsPerThousand: number | null;
  /** Whether the app kept up: hardly a call failed, and they did not become slower and slower. */
  holds: boolean;
  /** Why this machine or its line, not the app, may have been the limit. */
  localLimit: string | null;
}

export interface CallParts {
  meanMs: number;
  /** Between the moment in which the call was due and the one in which it was sent. */
  localMs: number;
  /** On the way, both ways, and in what is in front of the app. */
  lineMs: number;
  /** Waiting for a replica, without its start. */
  queueMs: number;
  coldStartMs: number;
  appMs: number;
}

export interface BenchSecond {
  /** In ms since 1970. */
  at: number;
  calls: number;
  failed: number;
  p50Ms: number | null;
  p99Ms: number | null;
}

/** How close the search comes to the limit. */
const precision = 1.2;
const first = 1;
const highest = 2_048;

/**
 * Looks for the rate at which an app no longer keeps up: twice as many calls a second each time, and then between the last
 * two. `step` says whether the app kept up, or that the search is over.
 */
export async function findLimit(step: (rate: number) => Promise<boolean | 'over'>): Promise<void> {
  let holds = 0;
  let breaksAt = Number.POSITIVE_INFINITY;
  for (let rate = first; holds < rate && rate < breaksAt; ) {
    const keptUp = await step(rate);
    if (keptUp === 'over') return;
    if (keptUp) holds = rate;
    else breaksAt = rate;
    if (breaksAt === Number.POSITIVE_INFINITY) rate *= 2;
    else if (breaksAt / holds > precision) rate = niceRate(Math.sqrt(holds * breaksAt));
    if (rate > highest || holds === 0) return;
  }
}

/** Two digits say enough. */
function niceRate(rate: number): number {
  return Number(rate.toPrecision(2));
}
