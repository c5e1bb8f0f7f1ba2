/** Calls that ended, and how. */
export interface ErrorCount {
  calls: number;
  failed: number;
  /** Those of the failed ones that the app blamed on the caller (4xx). */
  byCaller: number;
}

/** Chance of an alarm on a build that is no worse, at the end of a watch and for each look before. */
const maxChance = { end: 0.01, early: 0.0005 };
/** Fewer failures may all be one caller's: calls are not as independent as the test assumes. */
const minFailed = { end: 3, early: 5 };
/** With fewer calls to compare with, and hardly a failed one, the missing ones are assumed to have succeeded. */
const assumedCalls = 20;
/** From so many calls on, a difference that is not significant is none. */
const enoughCalls = 30;
/** A smaller difference of rates is not worth a doubt. */
const doubtfulDifference = 0.1;
/** A build that fails this often is not well, whatever was before it. */
const maxShare = 0.5;

/**
 * Whether a build fails more often than the one before, by Fisher's exact test. Failures that are the caller's count only
 * if there is a rate of them to compare with. As bad: most calls fail, as they did before.
 */
export function compareErrors(
  now: ErrorCount,
  before: ErrorCount,
  isEarly: boolean,
): 'worse' | 'no worse' | 'as bad' | 'too few calls' {
  const isKnown = before.calls >= assumedCalls || before.failed >= minFailed.end;
  const own = now.failed - now.byCaller;
  const failed = isKnown ? now.failed : own;
  if (failed === 0) return 'no worse';
  const base = isKnown ? before : { calls: assumedCalls, failed: before.failed - before.byCaller };
  const difference = failed / now.calls - base.failed / base.calls;
  const noWorse = own >= minFailed.end && own / now.calls >= maxShare ? 'as bad' : 'no worse';
  if (difference <= 0) return noWorse;
  const when = isEarly ? 'early' : 'end';
  const isSignificant = fisherChance(failed, now.calls, base.failed, base.calls) < maxChance[when];
  if (isSignificant && failed >= minFailed[when]) return 'worse';
  return now.calls < enoughCalls && difference >= doubtfulDifference ? 'too few calls' : noWorse;
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
