/** Whether calls differ by more than chance: how often they fail, and how long they take. */

/** Calls that ended, and how. */
export interface ErrorCount {
  calls: number;
  failed: number;
}

/** Chance of an alarm on a build that is no worse, at the end of a watch and for each look before. */
const maxChance = { end: 0.01, early: 0.0005 };
/** Fewer failures may all be one caller's: calls are not as independent as the test assumes. */
const minFailed = { end: 3, early: 5 };
/** With fewer calls to compare with, and hardly a failed one, the missing ones are assumed to have succeeded. */
const assumedCalls = 20;
/** From so many calls on, a difference that is not significant is none. */
const enoughCalls = 30;
/** A smaller difference of rates, or one that chance makes more often, is not worth a doubt. */
const doubtful = { difference: 0.1, chance: 0.25 };
/** A build that fails this often is not well, whatever was before it. */
const maxShare = 0.5;

/** Whether a build fails more often than the one before, by Fisher's exact test. As bad: most calls fail, as they did before. */
export function compareErrors({ calls, failed }: ErrorCount, before: ErrorCount, isEarly: boolean) {
  if (failed === 0) return 'no worse';
  const base = isRate(before) ? before : { calls: assumedCalls, failed: before.failed };
  const difference = failed / calls - base.failed / base.calls;
  const noWorse = failed >= minFailed.end && failed / calls >= maxShare ? 'as bad' : 'no worse';
  if (difference <= 0) return noWorse;
  const when = isEarly ? 'early' : 'end';
  const chance = fisherChance(failed, calls, base.failed, base.calls);
  if (chance < maxChance[when] && failed >= minFailed[when]) return 'worse';
  const isDoubtful = difference >= doubtful.difference && chance < doubtful.chance;
  return calls < enoughCalls && isDoubtful ? 'too few calls' : noWorse;
}

/** Whether there are enough calls for a rate to compare with. */
export function isRate({ calls, failed }: ErrorCount): boolean {
  return calls >= assumedCalls || failed >= minFailed.end;
}

/**
 * Fisher's exact test, one-sided: the chance to see at least `failed` failures among `calls` if both groups fail at the
 * same rate. O(failures).
 */
export function fisherChance(failed: number, calls: number, otherFailed: number, otherCalls: number): number {
  const failures = failed + otherFailed;
  const all = logChoose(calls + otherCalls, failures);
  let chance = 0;
  for (let at = failed; at <= Math.min(calls, failures); at++) {
    if (failures - at > otherCalls) continue;
    chance += Math.exp(logChoose(calls, at) + logChoose(otherCalls, failures - at) - all);
  }
  return Math.min(1, chance);
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

const logFactorials = [0];

function logFactorial(n: number): number {
  for (let at = logFactorials.length; at <= n; at++)
    logFactorials.push((logFactorials[at - 1] as number) + Math.log(at));
  return logFactorials[n] as number;
}

/** Durations of one kind of call, in ms, before a change and after it. Sorted by {@link compareDurations}. */
export interface DurationSamples {
  before: Float64Array;
  after: Float64Array;
}

interface DurationDifference {
  verdict: 'slower' | 'faster' | 'no difference' | 'too few calls';
  /** The change of the typical duration, over all kinds: 0.2 is 20 % slower. Null without calls on both sides. */
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

/** Undefined if it is too little, or if ranks and medians disagree. */
function directionOf(score: number, change: number): 'slower' | 'faster' | undefined {
  if (Math.abs(score) < alarmAt || Math.abs(change) < leastChange || score > 0 !== change > 0) return undefined;
  return score > 0 ? 'slower' : 'faster';
}

/**
 * Whether durations differ, by the ranks that they have among those of their kind (van Elteren's form of the test of Mann
 * and Whitney): other proportions of slow and fast kinds are no difference, and one extreme value counts little.
 */
export function compareDurations(kinds: readonly DurationSamples[]): DurationDifference {
  for (const values of kinds.flatMap(({ before, after }) => [before, after])) values.sort();
  const shared = kinds.filter(({ before, after }) => before.length > 0 && after.length > 0);
  const sizeBefore = sum(shared, ({ before }) => before.length);
  const sizeAfter = sum(shared, ({ after }) => after.length);
  if (shared.length === 0) return { verdict: 'too few calls', change: null, chance: null };
  const score = rankScore(shared);
  const change = typicalRatio(shared) - 1;
  const facts = { change, chance: 2 * tailChance(Math.abs(score)) };
  if (Math.min(sizeBefore, sizeAfter) < minCalls) return { verdict: 'too few calls', ...facts };
  const direction = directionOf(score, change);
  if (direction) return { verdict: direction, ...facts };
  const noticed = (alarmAt + marginOfPower) * spread(shared) * Math.sqrt(1 / sum(shared, weightOf));
  const isShown = Math.exp(noticed) - 1 <= missableChange;
  return { verdict: isShown ? 'no difference' : 'too few calls', ...facts };
}

/** A quantile of sorted values; null without any. */
export function quantile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? sorted[0] ?? null;
}

/** How far the ranks after are above what chance lets expect, in standard deviations. */
function rankScore(kinds: readonly DurationSamples[]): number {
  let above = 0;
  let variance = 0;
  for (const { before, after } of kinds) {
    const n = before.length;
    const m = after.length;
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
  let at = 0;
  let other = 0;
  let rankSum = 0;
  let ties = 0;
  while (at < values.length || other < others.length) {
    const value = Math.min(values[at] ?? Number.POSITIVE_INFINITY, others[other] ?? Number.POSITIVE_INFINITY);
    const fromAt = at;
    const fromOther = other;
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
  let total = 0;
  let weights = 0;
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
  let squares = 0;
  let freedom = 0;
  for (const samples of kinds.flatMap(({ before, after }) => [before, after])) {
    const mean = samples.reduce((all, value) => all + logOf(value), 0) / samples.length;
    for (const value of samples) squares += (logOf(value) - mean) ** 2;
    freedom += samples.length - 1;
  }
  return Math.sqrt(squares / freedom);
}

/** A call of 0 ms took less than one. */
function logOf(ms: number | null): number {
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
