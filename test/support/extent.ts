/** `GANTRY_TEST=all`, which `.ci/run` sets: also what `npm test` draws too few cases of for its time (docs/internals/testing.md). */
export const isWhole = process.env.GANTRY_TEST === 'all';

/** How many cases a test draws: `FUZZ_CASES`, if it is set. One at least: a file without a test fails. */
export function drawnCases(few: number, all = few): number {
  return Math.max(1, Number(process.env.FUZZ_CASES ?? (isWhole ? all : few)));
}

/** What tests draw from: `FUZZ_SEED`, or always the same. A test that turns red was made red by a change. */
export const seed = Number(process.env.FUZZ_SEED ?? 1);

/** One row of a table in so many; another seed has others. */
export function oneIn<Row>(count: number, rows: readonly Row[]): Row[] {
  return rows.filter((_, at) => at % count === seed % count);
}

/** One row of a table in so many: all of them with `GANTRY_TEST=all`. */
export function part<Row>(count: number, rows: readonly Row[]): Row[] {
  return isWhole ? [...rows] : oneIn(count, rows);
}

/** Every other row of a table: all of them with `GANTRY_TEST=all`. */
export function half<Row>(rows: readonly Row[]): Row[] {
  return part(2, rows);
}

/** A table whose rows are looked at in two ways, each row in one of them: with `GANTRY_TEST=all`, all rows in both. */
export function halves<Row>(rows: readonly Row[]): [Row[], Row[]] {
  const first = half(rows);
  return [first, isWhole ? first : rows.filter((row) => !first.includes(row))];
}
