import type { Figure } from '../../insight/cost/index.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, wrappedTable } from '../../kernel/output/table.ts';
import { list, nullable, number, object, text } from '../result-schema.ts';

/** What `--explain-figures` adds to the JSON of a command. */
export const figuresField = nullable(
  list(
    object({
      app: text('app'),
      figure: text('name'),
      value: nullable(number('value; null if not known')),
      unit: text('unit'),
      endpoints: list(text('route'), 'requests it is from'),
      how: text('how it was computed'),
    }),
    'with --explain-figures: where each figure is from',
  ),
);

export function figuresView(figures: readonly Figure[] | null): View {
  return wrappedTable(figures ?? [], columns);
}

const columns: Columns<Figure> = {
  APP: ({ app }) => app,
  FIGURE: ({ figure }) => figure,
  VALUE: ({ value, unit }) => (value === null ? 'not known' : `${Number(value.toPrecision(6))} ${unit}`),
  FROM: ({ endpoints }) => endpoints.map((route) => route.replace('/v2/projects/{project}', '')).join(', '),
  HOW: ({ how }) => how,
};
