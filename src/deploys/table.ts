/** Facts that a row needs, by name: one of these words each. What it does not name may be anything. */
type Pattern<Facts> = { readonly [Name in keyof Facts]?: Facts[Name] | readonly Facts[Name][] };

/** A table of decisions. Rows are tried in their order, and the last one fits everything. */
export type Rows<Facts, Result> = readonly (readonly [Pattern<Facts>, Result])[];

export function firstRow<Facts extends Record<string, string>, Result>(
  rows: Rows<Facts, Result>,
  facts: Facts,
): Result {
  const row = rows.find(([pattern]) => fits(pattern, facts));
  if (!row) throw new Error('a table without a last row');
  return row[1];
}

function fits<Facts extends Record<string, string>>(pattern: Pattern<Facts>, facts: Facts): boolean {
  return Object.entries(pattern).every(([name, wanted]) => [wanted].flat().includes(facts[name]));
}
