import { quantile } from '../../calls/difference.ts';
import { type Call, countErrors, hasEnded, hasSucceeded, runHasFailed } from '../../calls/runs/index.ts';
import { minuteMs } from '../../kernel/durations.ts';
import { latestFirst, roundCents, toMs } from '../../kernel/output/format.ts';
import { integer, nullable, type ObjectOf, text } from '../../kernel/shape.ts';
import type { App } from '../../platform/contract/apps.ts';
import { type Container, isRunning } from '../../platform/contract/containers.ts';
import { runTimes } from '../../platform/contract/runs.ts';

/** How an app is doing, in the last minute. Null is what is not known: nothing was read yet, or nobody called. */
export type AppFigures = ReturnType<typeof appFiguresOf>;

export const failedCallsFields = {
  app: text('app'),
  at: text('RFC 3339, UTC: the last of them'),
  statusCode: nullable(integer('HTTP status; null if not known')),
  calls: integer('number of calls'),
  run: text('the last of them'),
  message: nullable(text('what the app printed; null if not known')),
};
export type FailedCalls = ObjectOf<typeof failedCallsFields>;

/** What was read of an app, each at a time of its own. Times in ms since 1970, by the platform's clock. */
export interface AppReadings {
  runs?: RunsReading | undefined;
  containers?: readonly Container[];
  settings?: App;
}

export interface RunsReading<Item = Call> {
  since: number;
  until: number;
  runs: readonly Item[];
  /** How many runs there were. `runs` are some of them. */
  total: number;
}

export function appFiguresOf(app: string, { runs: reading, containers, settings }: AppReadings) {
  const running = containers?.filter((each) => isRunning(each));
  const price = settings?.costPerSecondCents || Number.NaN;
  return {
    app,
    replicas: running?.length ?? null,
    maxReplicas: settings?.maxReplicaCount ?? null,
    builds: running ? buildsOf(running) : [],
    ...(reading ? callFigures(reading) : unknownCalls),
    queued: queuedOf(reading, running?.length, settings?.replicaConcurrency),
    centsPerHour: roundCents((running?.length ?? Number.NaN) * price * 3_600),
  };
}

/** The failed calls of the last minute, and those since which no call succeeded, the last first. */
export function failedCallsOf(app: string, { runs, until }: Pick<RunsReading, 'runs' | 'until'>): FailedCalls[] {
  const groups = new Map<number | null, FailedCalls>();
  const goodUntil = runs.filter(hasSucceeded).reduce((last, run) => Math.max(last, timeOf(run)), 0);
  for (const run of runs) {
    if (!runHasFailed(run) || timeOf(run) < Math.min(until - minuteMs, goodUntil)) continue;
    const statusCode = run.statusCode ?? null;
    const group = groups.get(statusCode) ?? { app, at: '', statusCode, calls: 0, run: '', message: null };
    group.calls++;
    if ((run.createdAt ?? '') > group.at) Object.assign(group, { at: run.createdAt ?? '', run: run.id });
    groups.set(statusCode, group);
  }
  return [...groups.values()].sort(latestFirst(({ at }) => at));
}

/** What is said of an app whose runs were not read yet. */
const unknownCalls = Object.fromEntries(
  Object.keys(callFigures({ since: 0, until: 0, runs: [], total: 0 })).map((name) => [name, null]),
) as Record<keyof ReturnType<typeof callFigures>, null>;

function callFigures(reading: RunsReading) {
  const { until, runs, total } = reading;
  const from = until - minuteMs;
  const ended = runs.filter((run) => hasEnded(run) && endOf(run) > from);
  const errors = countErrors(ended);
  const durations = Float64Array.from(ended, responseTime)
    .filter((ms) => !Number.isNaN(ms))
    .sort();
  const at = (share: number) => quantile(durations, share);
  const perMinute = callsOfLastMinute(reading);
  const cold = runs.filter(({ coldstartTimeMs }) => (coldstartTimeMs ?? 0) > 0);
  // Of more than were returned, those that were speak for the others.
  const coldPerMinute =
    total > runs.length
      ? (perMinute * cold.length) / Math.max(1, runs.length)
      : cold.filter((run) => timeOf(run) > from).length;
  const last = runs.reduce((latest, run) => Math.max(latest, timeOf(run)), Number.NEGATIVE_INFINITY);
  return {
    at: new Date(until).toISOString(),
    callsPerSecond: perMinute / 60,
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    errorShare: errors.calls > 0 ? errors.failed / errors.calls : null,
    coldStartsPerMinute: coldPerMinute,
    lastCallAt: Number.isFinite(last) ? new Date(last).toISOString() : null,
  };
}

/** Where more calls were made than were returned, as many as in any minute of the time that was read. */
export function callsOfLastMinute({ since, until, runs, total }: RunsReading<Pick<Call, 'createdAt'>>): number {
  if (total > runs.length) return (total * minuteMs) / Math.max(minuteMs, until - since);
  return runs.filter((run) => timeOf(run) > until - minuteMs).length;
}

function queuedOf(reading: RunsReading | undefined, replicas: number | undefined, concurrency: number | undefined) {
  if (!reading || replicas === undefined || concurrency === undefined) return null;
  const inFlight = reading.runs.filter((run) => !hasEnded(run)).length;
  return Math.max(0, inFlight - replicas * concurrency);
}

function buildsOf(running: readonly Container[]) {
  const builds = new Map<string, number>();
  for (const { buildId } of running) if (buildId) builds.set(buildId, (builds.get(buildId) ?? 0) + 1);
  return [...builds].map(([build, replicas]) => ({ build, replicas })).sort((a, b) => b.replicas - a.replicas);
}

function timeOf({ createdAt }: Pick<Call, 'createdAt'>): number {
  return toMs(createdAt) || Number.NEGATIVE_INFINITY;
}

function responseTime(call: Call): number {
  const { responseMs, runMs = Number.NaN, queueMs = 0 } = runTimes(call);
  return responseMs ?? runMs + queueMs;
}

/** One that does not say how long it took counts from its creation. */
function endOf(run: Call): number {
  return timeOf(run) + (responseTime(run) || 0);
}
