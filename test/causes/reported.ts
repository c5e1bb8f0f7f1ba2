import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { explainLog } from '../../src/causes/index.ts';

/** A failure that somebody reported in public, with the cause that was written down before `explain` saw it. */
export interface ReportedFailure {
  from: string;
  /** When it was collected: 1 if it is not said. */
  collection?: number;
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

/** Of each collection, what its halves are shuffled by: chosen before its first measurement. The third has no halves. */
const seeds: Readonly<Record<number, string>> = { 1: 'gantry reported 1', 2: 'gantry second 1' };

const halves = Object.entries(seeds).map(([collection, seed]) => {
  const ordered = inOrder(
    all.filter((one) => (one.collection ?? 1) === Number(collection)),
    seed,
  );
  return { first: ordered.slice(0, Math.ceil(ordered.length / 2)), rest: ordered.slice(Math.ceil(ordered.length / 2)) };
});

/** Rules are written from the first halves only. */
export const seen = [...halves.flatMap(({ first }) => first), ...all.filter(({ collection }) => collection === 3)];
export const setAside = halves.flatMap(({ rest }) => rest);

function inOrder(some: readonly ReportedFailure[], seed: string): ReportedFailure[] {
  const order = ({ from }: ReportedFailure) => createHash('sha256').update(`${seed} ${from}`).digest('hex');
  return some.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
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
