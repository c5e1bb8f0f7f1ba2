import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { explainLog } from '../../../src/operations/failures/index.ts';

/** A failure that somebody reported in public, with the cause that was written down before `explain` saw it. */
export interface ReportedFailure {
  from: string;
  source: 'build' | 'run';
  /** The ids that name the cause, separated by bars; `unknown` if the log does not show it. */
  cause: string;
  /** What a right answer speaks of, as a pattern. */
  fix?: string;
  log: string;
}

const all: readonly ReportedFailure[] = readFileSync('fixtures/failures/reported.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** By a shuffle whose seed was chosen before the first measurement. Rules are written from the first half only. */
const shuffled = all.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));

export const seen = shuffled.slice(0, Math.ceil(all.length / 2));
export const setAside = shuffled.slice(seen.length);

function orderOf({ from }: ReportedFailure): string {
  return createHash('sha256').update(`gantry reported 1 ${from}`).digest('hex');
}

/** Shares of the answers that are right, and of the causes that are found; a right cause with the wrong fix is wrong. */
export function measure(cases: readonly ReportedFailure[]) {
  const answers = cases.map((one) => ({ ...one, found: explainLog(one.log, { source: one.source }) }));
  const given = answers.filter(({ found }) => found !== undefined);
  const wrong = given.filter(({ cause, fix = '', found }) => {
    const said = `${found?.title}; ${found?.fix}`;
    return !cause.split('|').includes(found?.cause ?? '') || !new RegExp(fix, 'i').test(said);
  });
  const known = answers.filter(({ cause }) => cause !== 'unknown');
  const missed = known.filter(({ found }) => found === undefined);
  const right = given.length - wrong.length;
  return {
    precision: right / given.length,
    recall: right / known.length,
    wrong: wrong.map(
      ({ from, cause, found }) => `${from}: ${cause}, not ${found?.cause}: ${found?.title}; ${found?.fix}`,
    ),
    missed: missed.map(({ from, cause }) => `${from}: ${cause}`),
  };
}
