import { compareDurations, compareErrors, type ErrorCount, fisherChance, quantile } from '../../calls/difference.ts';
import type { FileChanges } from '../../deploys/builds/index.ts';
import type { Figure } from '../cost/index.ts';
import { allHours, type BuildSamples, type HourlySamples } from './build-samples.ts';

/** Whether the calls of a build are worse than those of another one, hour by hour: durations are ranked within each of them. */
export function judgeCalls({
  before,
  after,
}: HourlySamples): Pick<Comparison, 'verdict' | 'runTime' | 'coldStart' | 'errors'> {
  const hours = before.map((one, hour) => [one, after[hour] as BuildSamples] as const);
  const runTime = durations(hours.flatMap(([one, other]) => kindsOf(one.runTimes, other.runTimes)));
  const coldStart = durations(
    hours.map(([one, other]) => ({ before: one.coldStartTimes, after: other.coldStartTimes })),
  );
  const errors = errorDifference(allHours(before).errors, allHours(after).errors);
  const verdict = wholeVerdict(runTime.verdict, errors.verdict, coldStart.verdict);
  return { verdict, runTime, coldStart, errors };
}

interface CallKind {
  before: readonly number[];
  after: readonly number[];
}

function kindsOf(before: ReadonlyMap<string, number[]>, after: ReadonlyMap<string, number[]>): CallKind[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => ({ before: before.get(name) ?? [], after: after.get(name) ?? [] }));
}

function durations(kinds: readonly CallKind[]): Durations {
  const all = (side: keyof CallKind) => Float64Array.from(kinds.flatMap((kind) => kind[side])).sort();
  const durations = compareDurations(
    kinds.map(({ before, after }) => ({ before: Float64Array.from(before), after: Float64Array.from(after) })),
  );
  const verdict = ({ slower: 'worse', faster: 'better' } as const)[durations.verdict as string];
  return {
    verdict: verdict ?? (durations.verdict as BuildVerdict),
    before: quantiles(all('before')),
    after: quantiles(all('after')),
    changeShare: durations.change,
    chance: durations.chance,
  };
}

/** Percentiles of the chart. */
export const curvePoints = [...Array.from({ length: 19 }, (_, index) => 5 * (index + 1)), 99];

function quantiles(sorted: Float64Array): Quantiles {
  const at = (share: number) => quantile(sorted, share) ?? null;
  const curve = sorted.length === 0 ? [] : curvePoints.map((percent) => at(percent / 100) ?? 0);
  return { p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99), curve };
}

/** As a watch of a new build judges at its end. */
function errorDifference(one: ErrorCount, other: ErrorCount): Comparison['errors'] {
  const rate = ({ calls, failed }: ErrorCount) => (calls === 0 ? null : failed / calls);
  const rates = { before: rate(one), after: rate(other) };
  if (one.calls === 0 || other.calls === 0) return { verdict: 'too few calls', ...rates, chance: null };
  const rises = (rates.after ?? 0) >= (rates.before ?? 0);
  const [more, fewer] = rises ? [other, one] : [one, other];
  const errors = compareErrors(more, fewer, false);
  const chance = fisherChance(more.failed, more.calls, fewer.failed, fewer.calls);
  const worse = rises ? 'worse' : 'better';
  const verdict = errors === 'worse' ? worse : errors === 'too few calls' ? errors : 'no difference';
  return { verdict, ...rates, chance };
}

function wholeVerdict(runTime: BuildVerdict, errors: BuildVerdict, coldStart: BuildVerdict): BuildVerdict {
  const all = [runTime, errors, coldStart];
  if (all.includes('worse')) return 'worse';
  // A build that hardly starts may have few starts to compare.
  if (runTime === 'too few calls' || errors === 'too few calls') return 'too few calls';
  return all.includes('better') ? 'better' : 'no difference';
}

/** Two builds of an app, by their calls. Null is what is not known. */
export interface Comparison {
  app: string;
  verdict: BuildVerdict;
  before: BuildCalls;
  after: BuildCalls;
  /** Hours of the day, in UTC, in which both builds had calls: those of others do not count. Null: there are none, so all count. */
  hours: number[] | null;
  files: FileChanges | null;
  settings: ChangedSetting[] | null;
  runTime: Durations;
  coldStart: Durations;
  errors: { verdict: BuildVerdict; before: number | null; after: number | null; chance: number | null };
  /** Calls that the platform announced and did not return; null if it did not say how many. */
  missing: number | null;
  /** Calls while the later build was deployed, of which it is not known whose they are. */
  unattributed: number;
  figures: Figure[] | null;
}

export const buildVerdicts = ['worse', 'better', 'no difference', 'too few calls'] as const;
export type BuildVerdict = (typeof buildVerdicts)[number];

export interface BuildCalls {
  build: string;
  /** RFC 3339, UTC. */
  since: string;
  until: string;
  calls: number;
  failed: number;
  coldStarts: number;
}

/** A key of cerebrium.toml. */
export interface ChangedSetting {
  setting: string;
  from: unknown;
  to: unknown;
}

/** In ms. */
export interface Durations {
  verdict: BuildVerdict;
  before: Quantiles;
  after: Quantiles;
  /** Of the typical duration of a function: 0.2 is 20 % slower. */
  changeShare: number | null;
  chance: number | null;
}

interface Quantiles {
  p50Ms: number | null;
  p90Ms: number | null;
  p99Ms: number | null;
  /** The 5th, 10th, … 95th percentile and the 99th, for the chart. */
  curve: number[];
}
