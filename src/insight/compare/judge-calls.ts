import {
  compareDurations,
  compareErrors,
  type DurationSamples,
  type ErrorCount,
  fisherChance,
  isRate,
  quantile,
} from '../../calls/difference.ts';
import { allHours, type BuildSamples, type HourlySamples } from './build-samples.ts';

/** Whether the calls of a build are worse than those of another one, hour by hour: durations are ranked within each of them. */
export function judgeCalls({ before, after }: HourlySamples) {
  const hours = before.map((samples, hour) => [samples, after[hour] as BuildSamples] as const);
  const runTime = durations(hours.flatMap(([one, other]) => kindsOf(one.runTimes, other.runTimes)));
  const coldStart = durations(
    hours.map(([one, other]) => ({
      before: samplesOf(one.coldStartTimes),
      after: samplesOf(other.coldStartTimes),
    })),
  );
  const errors = errorDifference(allHours(before).errors, allHours(after).errors);
  const verdict = wholeVerdict(runTime.verdict, errors.verdict, coldStart.verdict);
  return { verdict, runTime, coldStart, errors };
}

function kindsOf(before: ReadonlyMap<string, number[]>, after: ReadonlyMap<string, number[]>): DurationSamples[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => ({ before: samplesOf(before.get(name)), after: samplesOf(after.get(name)) }));
}

const samplesOf = (times: readonly number[] = []) => Float64Array.from(times);

function durations(kinds: readonly DurationSamples[]) {
  const all = (side: keyof DurationSamples) => samplesOf(kinds.flatMap((kind) => [...kind[side]])).sort();
  const durations = compareDurations(kinds);
  const before = all('before');
  const after = all('after');
  const verdict = ({ slower: 'worse', faster: 'better' } as const)[durations.verdict as string];
  return {
    verdict: verdict ?? (durations.verdict as BuildVerdict),
    before: quantiles(before),
    after: quantiles(after),
    curves: { before: curveOf(before), after: curveOf(after) },
    changeShare: durations.change,
    chance: durations.chance,
  };
}

/** Percentiles of the chart. */
export const curvePoints = [...Array.from({ length: 19 }, (_, index) => 5 * (index + 1)), 99];

function curveOf(sorted: Float64Array): number[] {
  return sorted.length === 0 ? [] : curvePoints.map((percent) => quantile(sorted, percent / 100) ?? 0);
}

function quantiles(sorted: Float64Array) {
  return { p50Ms: quantile(sorted, 0.5), p90Ms: quantile(sorted, 0.9), p99Ms: quantile(sorted, 0.99) };
}

/** As a watch of a new build judges at its end. */
function errorDifference(a: ErrorCount, b: ErrorCount) {
  const rate = ({ calls, failed }: ErrorCount) => (calls === 0 ? null : failed / calls);
  const rates = { beforeShare: rate(a), afterShare: rate(b) };
  if (a.calls === 0 || b.calls === 0) return { verdict: 'too few calls' as const, ...rates, chance: null };
  const rises = (rates.afterShare ?? 0) >= (rates.beforeShare ?? 0);
  const [more, fewer] = rises ? [b, a] : [a, b];
  const errors = compareErrors(more, fewer, false);
  const chance = fisherChance(more.failed, more.calls, fewer.failed, fewer.calls);
  const worse = rises ? 'worse' : 'better';
  const isShown = errors !== 'too few calls' && [a, b].every(isRate);
  const verdict: BuildVerdict = errors === 'worse' ? worse : isShown ? 'no difference' : 'too few calls';
  return { verdict, ...rates, chance };
}

function wholeVerdict(runTime: BuildVerdict, errors: BuildVerdict, coldStart: BuildVerdict): BuildVerdict {
  const all = [runTime, errors, coldStart];
  if (all.includes('worse')) return 'worse';
  // A build that hardly starts may have few starts to compare.
  if (runTime === 'too few calls' || errors === 'too few calls') return 'too few calls';
  return all.includes('better') ? 'better' : 'no difference';
}

export const buildVerdicts = ['worse', 'better', 'no difference', 'too few calls'] as const;
export type BuildVerdict = (typeof buildVerdicts)[number];
export type Durations = ReturnType<typeof durations>;
