import { routings, type Scaling } from '../../platform/scaling.ts';
import { maxReplayError as maxError } from '../cost/index.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { PastCalls, PastStart } from './past-calls.ts';
import {
  type CallTrace,
  dayOf,
  type Replayed,
  type ReplayedDay,
  type ReplicaModel,
  replayCalls,
  type StartTimes,
} from './replay.ts';

/** The model that fits the past best, and how far it was off: each day was predicted from the others. */
export type FittedModel = ReturnType<typeof fitModel>;

/**
 * Replays the past with the settings that it had, by each set of rules: no document says which ones the platform has. They are
 * judged by starts that take as long as they did. What is predicted has starts of other days.
 */
export function fitModel(past: PastCalls, trace: CallTrace, scaling: Scaling) {
  const daysWithCalls = [...past.days.keys()].filter((day) => (past.days[day]?.latency.size ?? 0) > 0);
  const attempt = (model: ReplicaModel, misfit: Misfit): Attempt => {
    const replayed = replayCalls(trace, scaling, model);
    const { days } = replayed;
    return { model, ...replayed, misfits: past.days.map((day, at) => misfit(days[at] as ReplayedDay, day)) };
  };
  const byRules = routings.flatMap((routing) =>
    [false, true].map((sharesStarts) =>
      attempt({ routing, sharesStarts, starts: pastStarts(past, trace, sharesStarts) }, misjudged),
    ),
  );
  const byStarts = new Map<ReplicaModel, Attempt[]>();
  const bestFor = (days: readonly number[]): Attempt => {
    const { model } = bestOf(byRules, days);
    const tried =
      byStarts.get(model) ??
      predictedStarts(past, model.sharesStarts).map((starts) => attempt({ ...model, starts }, misfit));
    byStarts.set(model, tried);
    return bestOf(tried, days);
  };
  const predicted = daysWithCalls.map(
    (day) => bestFor(daysWithCalls.filter((each) => each !== day)).days[day] as ReplayedDay,
  );
  const actual = daysWithCalls.map((day) => past.days[day] as ReplayedDay);
  const best = bestFor(daysWithCalls);
  const cold = [coldStartsOf(predicted), coldStartsOf(actual)] as const;
  const p90Share = offBy(latencyOf(predicted).quantile(0.9), latencyOf(actual).quantile(0.9));
  return {
    model: best.model,
    error: {
      coldStartsShare: offBy(...cold),
      p90Share,
      days: daysWithCalls.length,
      replicaSeconds: best.replicaSeconds,
    },
    // A few starts more or less are chance.
    isOff:
      Math.abs(cold[0] - cold[1]) > maxError * cold[1] + 3 * Math.sqrt(cold[1]) || Math.abs(p90Share ?? 0) > maxError,
  };
}

/** A call may have been taken by another replica that was ready before: starts are longer than calls waited for them. */
const startFactors = [1, 0.9, 1.1, 1.2, 1.35];

interface Attempt extends Replayed {
  model: ReplicaModel;
  /** Misfits by day. */
  misfits: number[];
}

function bestOf(tried: readonly Attempt[], days: readonly number[]): Attempt {
  const sums = tried.map(({ misfits }) => days.reduce((sum, day) => sum + (misfits[day] ?? 0), 0));
  return tried[sums.indexOf(sums.reduce((least, sum) => Math.min(least, sum)))] as Attempt;
}

export function coldStartsOf(days: readonly ReplayedDay[]): number {
  return days.reduce((sum, { coldStarts }) => sum + coldStarts, 0);
}

export function latencyOf(days: readonly ReplayedDay[]): LatencyHistogram {
  return days.reduce((all, { latency }) => all.addAll(latency), new LatencyHistogram());
}

/** A call that waited for a start from its begin waits as long again; for others it takes what starts take. */
function pastStarts(past: PastCalls, { startMs }: CallTrace, sharesStarts: boolean): StartTimes {
  const [usual] = predictedStarts(past, sharesStarts);
  return { draw: (nth, at, call) => startMs[call] || (usual?.draw(nth, at, call) ?? 0) };
}

/** What starts may take. If a call waits for the replica that was started for it, it waited for all of its start. */
function predictedStarts({ starts, since }: PastCalls, sharesStarts: boolean): StartTimes[] {
  if (!sharesStarts) return [startTimes(starts, since, 1)];
  const whole = starts.filter(({ isAlone }) => isAlone);
  const usable = whole.length >= enoughStarts ? whole : starts;
  return startFactors.map((factor) => startTimes(usable, since, factor));
}

/** Starts drawn from those of other days, evenly over all, and this many times as long. */
function startTimes(seen: readonly PastStart[], since: number, factor: number): StartTimes {
  const days = seen.map(({ at }) => dayOf(at, since));
  // The golden ratio visits all of them before any twice, nearly.
  const stride = Math.max(1, Math.round(seen.length * 0.618));
  return {
    draw: (nth, at) => {
      const day = dayOf(at, since);
      for (let tries = 0; tries < maxTries; tries++) {
        const chosen = ((nth + tries) * stride + tries) % Math.max(1, seen.length);
        if (days[chosen] !== day || tries === maxTries - 1) return factor * (seen[chosen]?.ms ?? 0);
      }
      return 0;
    },
  };
}

/** So many that were waited for as a whole say how long one takes. */
const enoughStarts = 10;
/** If all starts were on one day. */
const maxTries = 8;

type Misfit = (replayed: ReplayedDay, actual: ReplayedDay) => number;

/** How badly the calls of a day were told apart that waited for a start. */
function misjudged(replayed: ReplayedDay, actual: ReplayedDay): number {
  return replayed.misjudged + misfit(replayed, actual);
}

/** How badly a day was predicted, weighted by its calls. */
function misfit(predicted: ReplayedDay, actual: ReplayedDay): number {
  const cold = Math.abs(predicted.coldStarts - actual.coldStarts);
  const slow = Math.abs(Math.log(predicted.latency.quantile(0.9) / Math.max(1, actual.latency.quantile(0.9))));
  return cold + Math.min(1, slow) * Math.sqrt(actual.latency.size);
}

function offBy(predicted: number, actual: number): number | null {
  return actual === 0 ? (predicted === 0 ? 0 : null) : predicted / actual - 1;
}
