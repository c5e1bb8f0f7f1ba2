import type { View } from '../../kernel/output/page.ts';
import { keyValueTable } from '../../kernel/output/table.ts';

export type FactRows = Parameters<typeof keyValueTable>[0];

/** A table of names and values, on a terminal under a title; empty if it has no values. */
export function factGroup(title: string, rows: FactRows): View {
  return (page) => {
    const body = keyValueTable(rows)(page);
    return body && page.terminal ? `${page.style.bold(title.toUpperCase())}\n${body}` : body;
  };
}
