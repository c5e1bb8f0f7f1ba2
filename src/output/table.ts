import { displayWidth } from './display-width.ts';
import type { Page, View } from './page.ts';
import { stripControlSequences } from './sanitize.ts';

/** The value of a cell. A function gets the page, for ages and colors. */
export type Cell = string | number | boolean | null | undefined | ((page: Page) => string);

export type Columns<Row> = Record<string, (row: Row) => Cell>;

const gap = '  ';
const minColumnWidth = 8;

/**
 * A table without borders, one line for each row. Lines never wrap: on a terminal, columns are dropped or truncated to
 * fit. Columns in `noShrink`, such as ids to copy, are the last to give way.
 */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, noShrink: readonly string[] = []): View {
  return (page) => {
    if (rows.length === 0) return '';
    const titles = Object.keys(columns);
    const read = Object.values(columns);
    const body = rows.map((row) => read.map((cell) => cellLine(cell(row), page)));
    const filled = titles
      .map((title, index) => ({ title, index, noShrink: noShrink.includes(title) }))
      .filter(({ index }) => body.some((cells) => cells[index] !== ''))
      .map((column) => ({
        ...column,
        width: body.reduce(
          (most, cells) => Math.max(most, displayWidth(cells[column.index] ?? '')),
          column.title.length,
        ),
      }));
    const fitted = fitColumns(filled, page.columns);
    const print = (cells: string[]) =>
      fitted
        .map(({ index, width }) => pad(cells[index] ?? '', width))
        .join(gap)
        .trimEnd();
    return [page.style.bold(print(titles)), ...body.map(print)].join('\n');
  };
}

/** `name  value` lines. Empty values are omitted. */
export function keyValueTable(pairs: [string, Cell][]): View {
  return (page) => {
    const read = pairs
      .map(([name, value]): [string, string] => [name, cellText(value, page)])
      .filter(([, value]) => value !== '');
    const width = Math.max(0, ...read.map(([name]) => name.length));
    return read.map(([name, value]) => `${page.style.dim(name.padEnd(width))}${gap}${value}`).join('\n');
  };
}

/** Joins views by empty lines, and omits empty views. */
export function stackViews(...views: (View | string | undefined)[]): View {
  return (page) =>
    views
      .map((view) => (typeof view === 'function' ? view(page) : (view ?? '')))
      .filter((part) => part !== '')
      .join('\n\n');
}

export function cellText(cell: Cell, page: Page): string {
  if (typeof cell === 'function') return cell(page);
  if (cell === null || cell === undefined) return '';
  return String(cell);
}

/** A newline in a name must not break the table. */
function cellLine(cell: Cell, page: Page): string {
  return stripControlSequences(cellText(cell, page), true).replace(/[\n\t]+/g, ' ');
}

interface Column {
  /** Position among all columns. */
  index: number;
  width: number;
  noShrink: boolean;
}

/** Drops the last columns until the rest can fit, then shrinks the widest, down to a minimum. */
function fitColumns(columns: readonly Column[], maxWidth: number): Column[] {
  const kept = columns.map((column) => ({ ...column }));
  const canShrink = (column: Column) => !column.noShrink;
  const minWidth = (column: Column) => (column.noShrink ? column.width : Math.min(column.width, minColumnWidth));
  const total = (of: (column: Column) => number) => kept.reduce((sum, column) => sum + of(column) + gap.length, 0);
  const isTooWide = (of: (column: Column) => number) => total(of) - gap.length > maxWidth;
  while (kept.length > 1 && kept.some(canShrink) && isTooWide(minWidth)) kept.splice(kept.findLastIndex(canShrink), 1);
  // Even the columns that should not shrink do not fit.
  if (isTooWide(minWidth)) for (const column of kept) column.noShrink = false;
  while (kept.length > 1 && isTooWide(minWidth)) kept.pop();

  while (isTooWide((column) => column.width)) {
    const shrinkable = kept.filter((column) => column.width > minWidth(column));
    const widest = shrinkable.reduce((a, b) => (b.width > a.width ? b : a), shrinkable[0] ?? { width: 0 });
    if (widest.width === 0) break;
    widest.width -= 1;
  }
  return kept;
}

function pad(cell: string, width: number): string {
  const padding = width - displayWidth(cell);
  return padding >= 0 ? cell + ' '.repeat(padding) : truncate(cell, width);
}

function truncate(cell: string, width: number): string {
  const plain = stripControlSequences(cell, false);
  let kept = '';
  let used = 0;
  for (const character of plain) {
    used += displayWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…${' '.repeat(Math.max(0, width - 1 - displayWidth(kept)))}`;
}
