/** `GANTRY_TEST=all`, which `.ci/run` sets: also what `npm test` draws too few cases of for its time (docs/internals/testing.md). */
export const isWhole = process.env.GANTRY_TEST === 'all';

/** How many cases a test draws: `FUZZ_CASES`, if it is set. One at least: a file without a test fails. */
export function drawnCases(few: number, all = few): number {
  return Math.max(1, Number(process.env.FUZZ_CASES ?? (isWhole ? all : few)));
}
