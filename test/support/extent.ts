/** `GANTRY_TEST=all`, which `.ci/run` sets: also what `npm test` draws too few cases of for its time (docs/internals/testing.md). */
export const isWhole = process.env.GANTRY_TEST === 'all';

/** How many cases a test draws: `FUZZ_CASES`, if it is set. One at least: a file without a test fails. */
export function drawnCases(few: number, all = few): number {
  return Math.max(1, Number(process.env.FUZZ_CASES ?? (isWhole ? all : few)));
}

/** One row of a table in so many, others every day. */
export function todays<Row>(rows: readonly Row[], oneIn: number): Row[] {
  const today = Math.floor(Date.now() / 86_400_000) % oneIn;
  return rows.filter((_, at) => at % oneIn === today);
}

/** Every other row of a table, the others the next day: all of them with `GANTRY_TEST=all`. */
export function half<Row>(rows: readonly Row[]): Row[] {
  return isWhole ? [...rows] : todays(rows, 2);
}
