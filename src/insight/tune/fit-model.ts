import { routings, type Scaling } from '../../platform/scaling.ts';
import { maxReplayError as maxError } from '../cost/index.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { PastCalls, PastStart } from './past-calls.ts';
import { type CallTrace, dayOf, type Replayed, type ReplayedDay, type ReplicaModel, replayCalls } from './replay.ts';

/** The model that fits the past best, and how far it was off: each day was predicted from the others. */
export type FittedModel = ReturnType<typeof fitModel>;

/**
 * Replays the past with the settings that it had, by each set of rules: no document says which ones the platform has. What is
 * predicted has starts of other days.
 */
export function fitModel(past: PastCalls, trace: CallTrace, scaling: Scaling) {
  const daysWithCalls = [...past.days.keys()].filter((day) => (past.days[day]?.latency.size ?? 0) > 0);
  const tried = modelsOf(past).map((model): ModelFit => {
    const replayed = replayCalls(trace, scaling, model);
    return { model, ...replayed, misfits: past.days.map((day, at) => misfit(replayed.days[at] as ReplayedDay, day)) };
  });
  const predicted = daysWithCalls.map((day) => {
    const others = daysWithCalls.filter((each) => each !== day);
    return bestOf(tried, others).days[day] as ReplayedDay;
  });
  const actual = daysWithCalls.map((day) => past.days[day] as ReplayedDay);
  const best = bestOf(tried, daysWithCalls);
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
const startFactors = [1, 1.15, 1.3];

interface ModelFit extends Replayed {
  model: ReplicaModel;
  /** Misfits by day. */
  misfits: number[];
}

function bestOf(tried: readonly ModelFit[], days: readonly number[]): ModelFit {
  const sums = tried.map(({ misfits }) => days.reduce((sum, day) => sum + (misfits[day] ?? 0), 0));
  return tried[sums.indexOf(sums.reduce((least, sum) => Math.min(least, sum)))] as ModelFit;
}

export function coldStartsOf(days: readonly ReplayedDay[]): number {
  return days.reduce((sum, { coldStarts }) => sum + coldStarts, 0);
}

export function latencyOf(days: readonly ReplayedDay[]): LatencyHistogram {
  return days.reduce((all, { latency }) => all.addAll(latency), new LatencyHistogram());
}

/** Each set of rules, with starts that take as long as on other days, or a little longer. */
function modelsOf({ starts, since }: PastCalls): ReplicaModel[] {
  const whole = starts.filter(({ isAlone }) => isAlone);
  // If a call waits for the replica that was started for it, it waited for all of its start.
  const usable = whole.length >= enoughStarts ? whole : starts;
  return routings.flatMap((routing) => [
    { routing, sharesStarts: false, starts: startTimes(starts, since, 1) },
    ...startFactors.map((factor) => ({ routing, sharesStarts: true, starts: startTimes(usable, since, factor) })),
  ]);
}

/** Starts drawn from those of other days, evenly over all, and this many times as long. */
function startTimes(starts: readonly PastStart[], since: number, factor: number) {
  const days = starts.map(({ at }) => dayOf(at, since));
  // The golden ratio visits all of them before any twice, nearly.
  const stride = Math.max(1, Math.round(starts.length * 0.618));
  return (nth: number, at: number) => {
    const day = dayOf(at, since);
    for (let tries = 0; tries < maxTries; tries++) {
      const chosen = ((nth + tries) * stride + tries) % Math.max(1, starts.length);
      if (days[chosen] !== day || tries === maxTries - 1) return factor * (starts[chosen]?.ms ?? 0);
    }
    return 0;
  };
}

/** So many that were waited for as a whole say how long one takes. */
const enoughStarts = 10;
/** If all starts were on one day. */
const maxTries = 8;

/** How badly a day was predicted, weighted by its calls, and how many of them were not those that waited for a start. */
function misfit(predicted: ReplayedDay, actual: ReplayedDay): number {
  const cold = Math.abs(predicted.coldStarts - actual.coldStarts);
  const slow = Math.abs(Math.log(predicted.latency.quantile(0.9) / Math.max(1, actual.latency.quantile(0.9))));
  return cold + predicted.misjudged + Math.min(1, slow) * Math.sqrt(actual.latency.size);
}

function offBy(predicted: number, actual: number): number | null {
  return actual === 0 ? (predicted === 0 ? 0 : null) : predicted / actual - 1;
}
