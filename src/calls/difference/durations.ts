/** Durations of one kind of call, in ms, before a change and after it. Sorted by {@link compareDurations}. */
export interface DurationSamples {
  before: Float64Array;
  after: Float64Array;
}

export interface DurationDifference {
  verdict: 'slower' | 'faster' | 'no difference' | 'too few calls';
  /** Of the typical duration, over all kinds: 0.2 is 20 % slower. Null without calls on both sides. */
  change: number | null;
  /** The chance to see such a difference, or a larger one, if there is none. Null without calls on both sides. */
  chance: number | null;
}

/** In standard deviations: the chance of an alarm is about one in a thousand on each side. */
const alarmAt = 3.09;
/** What a true difference has above that in nine of ten cases. */
const marginOfPower = 1.28;
/** With fewer on a side, ranks are no proof. */
const minCalls = 20;
/** A smaller change is not worth a word. */
const leastChange = 0.05;
/** If a change of this size could have been missed, nothing has been shown. */
const missableChange = 0.3;

/**
 * Whether durations differ, by the ranks that they have among those of their kind (van Elteren's form of the test of Mann
 * and Whitney): other proportions of slow and fast kinds are no difference, and one extreme value counts little.
 */
export function compareDurations(kinds: readonly DurationSamples[]): DurationDifference {
  for (const { before, after } of kinds) for (const values of [before, after]) values.sort();
  const shared = kinds.filter(({ before, after }) => before.length > 0 && after.length > 0);
  const [sizeBefore, sizeAfter] = [
    sum(shared, ({ before }) => before.length),
    sum(shared, ({ after }) => after.length),
  ];
  if (shared.length === 0) return { verdict: 'too few calls', change: null, chance: null };
  const score = rankScore(shared);
  const change = typicalRatio(shared) - 1;
  const facts = { change, chance: 2 * tailChance(Math.abs(score)) };
  const isEnough = Math.min(sizeBefore, sizeAfter) >= minCalls;
  if (isEnough && Math.abs(score) >= alarmAt && Math.abs(change) >= leastChange && score > 0 === change > 0) {
    return { verdict: score > 0 ? 'slower' : 'faster', ...facts };
  }
  const noticed = (alarmAt + marginOfPower) * spread(shared) * Math.sqrt(1 / sum(shared, weightOf));
  const isShown = isEnough && Math.exp(noticed) - 1 <= missableChange;
  return { verdict: isShown ? 'no difference' : 'too few calls', ...facts };
}

/** Of sorted values; undefined without any. */
export function quantile(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? sorted[0];
}

/** How far the ranks after are above what chance lets expect, in standard deviations. */
function rankScore(kinds: readonly DurationSamples[]): number {
  let above = 0;
  let variance = 0;
  for (const { before, after } of kinds) {
    const [n, m] = [before.length, after.length];
    const { rankSum, ties } = ranksOf(after, before);
    const weight = 1 / (n + m + 1);
    above += weight * (rankSum - (m * (n + m + 1)) / 2);
    const spreadOfTies = n + m > 1 ? ties / ((n + m) * (n + m - 1)) : 0;
    variance += (weight ** 2 * n * m * (n + m + 1 - spreadOfTies)) / 12;
  }
  return variance > 0 ? above / Math.sqrt(variance) : 0;
}

/** The sum of the ranks of values among both, and of t³ - t for each t equal values. Both are sorted. */
function ranksOf(values: Float64Array, others: Float64Array): { rankSum: number; ties: number } {
  let [at, other, rankSum, ties] = [0, 0, 0, 0];
  while (at < values.length || other < others.length) {
    const value = Math.min(values[at] ?? Number.POSITIVE_INFINITY, others[other] ?? Number.POSITIVE_INFINITY);
    const [fromAt, fromOther] = [at, other];
    while (at < values.length && values[at] === value) at++;
    while (other < others.length && others[other] === value) other++;
    const equal = at - fromAt + other - fromOther;
    rankSum += (at - fromAt) * (fromAt + fromOther + (equal + 1) / 2);
    ties += equal ** 3 - equal;
  }
  return { rankSum, ties };
}

/** How many times as long a call takes as before, by the medians of its kind. */
function typicalRatio(kinds: readonly DurationSamples[]): number {
  let [total, weights] = [0, 0];
  for (const { before, after } of kinds) {
    const weight = weightOf({ before, after });
    total += weight * (logOf(quantile(after, 0.5)) - logOf(quantile(before, 0.5)));
    weights += weight;
  }
  return Math.exp(total / weights);
}

/** How much a kind says about a difference: the side with fewer calls counts most. */
function weightOf({ before, after }: DurationSamples): number {
  return (before.length * after.length) / (before.length + after.length);
}

/** The standard deviation of the logarithms within a kind and a side; not a number if each has a single call. */
function spread(kinds: readonly DurationSamples[]): number {
  let [squares, freedom] = [0, 0];
  for (const samples of kinds.flatMap(({ before, after }) => [before, after])) {
    const mean = samples.reduce((all, value) => all + logOf(value), 0) / samples.length;
    for (const value of samples) squares += (logOf(value) - mean) ** 2;
    freedom += samples.length - 1;
  }
  return Math.sqrt(squares / freedom);
}

/** A call of 0 ms took less than one. */
function logOf(ms: number | undefined): number {
  return Math.log(Math.max(0.5, ms ?? 0));
}

/** The chance of a normal value of at least `deviations`, to seven digits (Numerical Recipes, `erfcc`). At most a half. */
function tailChance(deviations: number): number {
  const x = deviations / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const terms = [
    ...[-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806],
    ...[0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277],
  ];
  const exponent = terms.reduceRight((all, term) => term + t * all, 0);
  return Math.min(1, t * Math.exp(-x * x + exponent)) / 2;
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((all, value) => all + of(value), 0);
}
