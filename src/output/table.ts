import { displayWidth } from './display-width.ts';
import type { Page, View } from './page.ts';
import { stripControlSequences } from './sanitize.ts';

/** What stands in a cell: plain, or in need of the page (an age, a colour). */
export type Cell = string | number | boolean | null | undefined | ((page: Page) => string);

export type Columns<Row> = Record<string, (row: Row) => Cell>;

const gap = '  ';
const narrowest = 8;

/**
 * Borderless columns, one row a line. On a terminal the widest, then the last columns give way: no line wraps. Those
 * named `firm` (ids that somebody will copy) are the last to do so.
 */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, firm: readonly string[] = []): View {
  return (page) => {
    if (rows.length === 0) return '';
    const titles = Object.keys(columns);
    const read = Object.values(columns);
    const body = rows.map((row) => read.map((cell) => line(cell(row), page)));
    const filled = titles
      .map((title, index) => ({ title, index, firm: firm.includes(title) }))
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

/** `name  value` lines, for one thing in full. Empty values are left out. */
export function keyValueTable(pairs: [string, Cell][]): View {
  return (page) => {
    const read = pairs
      .map(([name, value]): [string, string] => [name, cellText(value, page)])
      .filter(([, value]) => value !== '');
    const width = Math.max(0, ...read.map(([name]) => name.length));
    return read.map(([name, value]) => `${page.style.dim(name.padEnd(width))}${gap}${value}`).join('\n');
  };
}

/** Views below one another, an empty line between them; an empty view leaves no trace. */
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

/** One cell is one line: a newline in a name must not break the table. */
function line(cell: Cell, page: Page): string {
  return stripControlSequences(cellText(cell, page), true).replace(/[\n\t]+/g, ' ');
}

interface Column {
  /** Its place before any was left out. */
  index: number;
  width: number;
  firm: boolean;
}

/** The columns that fit. Of too many the last ones are left out; then the widest becomes narrower, as far as is of use. */
function fitColumns(columns: readonly Column[], room: number): Column[] {
  const kept = columns.map((column) => ({ ...column }));
  const loose = (column: Column) => !column.firm;
  const least = (column: Column) => (column.firm ? column.width : Math.min(column.width, narrowest));
  const total = (of: (column: Column) => number) => kept.reduce((sum, column) => sum + of(column) + gap.length, 0);
  const tooWide = (of: (column: Column) => number) => total(of) - gap.length > room;
  while (kept.length > 1 && kept.some(loose) && tooWide(least)) kept.splice(kept.findLastIndex(loose), 1);
  // Even what should stay whole does not fit.
  if (tooWide(least)) for (const column of kept) column.firm = false;
  while (kept.length > 1 && tooWide(least)) kept.pop();

  while (tooWide((column) => column.width)) {
    const shrinkable = kept.filter((column) => column.width > least(column));
    const widest = shrinkable.reduce((a, b) => (b.width > a.width ? b : a), shrinkable[0] ?? { width: 0 });
    if (widest.width === 0) break;
    widest.width -= 1;
  }
  return kept;
}

function pad(cell: string, width: number): string {
  const room = width - displayWidth(cell);
  return room >= 0 ? cell + ' '.repeat(room) : shorten(cell, width);
}

function shorten(cell: string, width: number): string {
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
