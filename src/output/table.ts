import { clean } from './clean.ts';
import type { Page, View } from './page.ts';
import { columnsOf } from './width.ts';

/** What stands in a cell: plain, or in need of the page (an age, a colour). */
export type Cell = string | number | boolean | null | undefined | ((page: Page) => string);

export type Columns<Row> = Record<string, (row: Row) => Cell>;

const gap = '  ';
const narrowest = 8;

/** Borderless columns, one row a line. On a terminal the widest, then the last columns give way: no line wraps. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): View {
  return (page) => {
    if (rows.length === 0) return '';
    const titles = Object.keys(columns);
    const read = Object.values(columns);
    const body = rows.map((row) => read.map((cell) => line(cell(row), page)));
    const kept = titles.map((_, index) => index).filter((index) => body.some((cells) => cells[index] !== ''));
    const widths = kept.map((index) =>
      body.reduce((widest, cells) => Math.max(widest, columnsOf(cells[index] ?? '')), (titles[index] ?? '').length),
    );
    const fitted = narrow(widths, page.columns);
    const print = (cells: string[]) =>
      fitted
        .map((width, at) => pad(cells[kept[at] ?? 0] ?? '', width))
        .join(gap)
        .trimEnd();
    return [page.style.bold(print(titles)), ...body.map(print)].join('\n');
  };
}

/** `name  value` lines, for one thing in full. Empty values are left out. */
export function facts(pairs: [string, Cell][]): View {
  return (page) => {
    const read = pairs
      .map(([name, value]): [string, string] => [name, text(value, page)])
      .filter(([, value]) => value !== '');
    const width = Math.max(0, ...read.map(([name]) => name.length));
    return read.map(([name, value]) => `${page.style.dim(name.padEnd(width))}${gap}${value}`).join('\n');
  };
}

/** Views below one another, an empty line between them; an empty view leaves no trace. */
export function stack(...views: (View | string | undefined)[]): View {
  return (page) =>
    views
      .map((view) => (typeof view === 'function' ? view(page) : (view ?? '')))
      .filter((part) => part !== '')
      .join('\n\n');
}

export function text(cell: Cell, page: Page): string {
  if (typeof cell === 'function') return cell(page);
  if (cell === null || cell === undefined) return '';
  return String(cell);
}

/** One cell is one line: a newline in a name must not break the table. */
function line(cell: Cell, page: Page): string {
  return clean(text(cell, page), true).replace(/[\n\t]+/g, ' ');
}

/** The widths that fit: columns are taken off the widest until it is of no more use, then the last ones are left out. */
function narrow(widths: number[], columns: number): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, width) => sum + width, gap.length * (fitted.length - 1));
  for (let excess = total() - columns; excess > 0; excess--) {
    const widest = Math.max(...fitted);
    if (widest <= narrowest) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
  while (fitted.length > 1 && total() > columns) fitted.pop();
  return fitted;
}

function pad(cell: string, width: number): string {
  const room = width - columnsOf(cell);
  return room >= 0 ? cell + ' '.repeat(room) : shorten(cell, width);
}

function shorten(cell: string, width: number): string {
  const plain = clean(cell, false);
  let kept = '';
  let used = 0;
  for (const character of plain) {
    used += columnsOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…${' '.repeat(Math.max(0, width - 1 - columnsOf(kept)))}`;
}
