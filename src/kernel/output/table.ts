import type { LongView, Page, View } from './page.ts';
import { redact } from './redact.ts';
import { stripControlSequences } from './sanitize.ts';
import { displayWidth, wrapText } from './wrap-text.ts';

/** The value of a cell. A function gets the page, for ages and colors. */
export type Cell = string | number | boolean | null | undefined | (((page: Page) => string) & CellFacts);

interface CellFacts {
  unit?: string;
  isNumber?: boolean;
}

export type Columns<Row, Title extends string = string> = Record<Title, (row: Row) => Cell>;

const gap = '  ';
/** In columns: a narrower cell says too little to be worth its place. */
const minCellWidth = 10;
const minShortWidth = 8;

/**
 * Rows of data. On a terminal: columns under their titles; the widest become narrower and the last are dropped until
 * every row fits on one line. Anywhere else: tab-separated values without titles, with a cell for every column.
 * `keep`: the most important columns first, such as an id and a status, shown in full as long as others can be dropped.
 */
export function table<Row, Title extends string>(
  rows: Iterable<Row>,
  keep: readonly NoInfer<Title>[],
  columns: Columns<Row, Title>,
): LongView {
  const titles = Object.keys(columns) as Title[];
  const numbers = new Set<number>();
  const cellsOf = (row: Row, page: Page) =>
    titles.map((title, index) => {
      const cell = columns[title](row);
      if (isNumber(cell)) numbers.add(index);
      return cellLine(cell, page);
    });
  const parts = (page: Page) => tabSeparated(rows, (row) => cellsOf(row, page));
  const view: View = (page) => {
    if (!page.terminal) return [...parts(page)].join('\n');
    const body = Array.from(rows, (row) => cellsOf(row, page));
    if (body.length === 0) return '';
    if (page.accessible) return rowsAsLists(titles, body);
    const filled = titles
      .map((title, index) => createColumn(title, index, body, keep.indexOf(title), numbers.has(index)))
      .filter(({ index }) => body.some((cells) => cells[index] !== ''));
    const fitted = fitColumns(filled, page.columns);
    const print = (cells: readonly string[], empty: string) =>
      fitted
        .map(({ index, width, right }) => pad(cells[index] || empty, width, right))
        .join(gap)
        .trimEnd();
    return [page.style.bold(print(titles, '')), ...body.map((cells) => print(cells, '-'))].join('\n');
  };
  return Object.assign(view, { parts });
}

function isNumber(cell: Cell): boolean {
  return typeof cell === 'number' || (typeof cell === 'function' && cell.isNumber === true);
}

function* tabSeparated<Row>(rows: Iterable<Row>, cellsOf: (row: Row) => string[]): Generator<string> {
  const linesAtOnce = 1_000;
  const lines: string[] = [];
  for (const row of rows) {
    lines.push(cellsOf(row).join('\t'));
    if (lines.length === linesAtOnce) yield lines.splice(0).join('\n');
  }
  if (lines.length > 0) yield lines.join('\n');
}

function rowsAsLists(titles: readonly string[], body: readonly string[][]): string {
  const item = (cells: readonly string[]) =>
    titles.flatMap((title, index) => (cells[index] ? [`${title.toLowerCase()}: ${cells[index]}`] : [])).join('\n');
  return body.map(item).join('\n\n');
}

/**
 * `name  value` lines without empty values, for one thing in full. Anywhere but on a terminal a tab separates the two.
 * `wrap`: long values continue on the next line of a terminal; one to copy, such as a key, must not.
 */
export function keyValueTable(pairs: readonly [string, Cell][], { wrap = true } = {}): View {
  return (page) => {
    const filled = pairs
      .map(([name, value]): [string, string] => [page.terminal ? name : withUnitOf(value, name), cellText(value, page)])
      .filter(([, value]) => value !== '');
    if (!page.terminal) return filled.map(([name, value]) => `${name}\t${cellLine(value, page)}`).join('\n');
    const width = filled.reduce((most, [name]) => Math.max(most, name.length), 0);
    const margin = ' '.repeat(width + gap.length);
    const lines = (value: string) =>
      wrap ? wrapLines(value, page, page.columns - margin.length).join(`\n${margin}`) : value;
    if (page.accessible) return filled.map(([name, value]) => `${name}: ${value}`).join('\n');
    return filled.map(([name, value]) => `${page.style.dim(name.padEnd(width))}${gap}${lines(value)}`).join('\n');
  };
}

function withUnitOf(value: Cell, name: string): string {
  return typeof value === 'function' && value.unit !== undefined ? `${name} in ${value.unit}` : name;
}

export type FactRows = Parameters<typeof keyValueTable>[0];

/** A table of names and values, on a terminal under a title; empty if it has no values. */
export function factGroup(title: string, rows: FactRows): View {
  return (page) => {
    const body = keyValueTable(rows)(page);
    return body && page.terminal ? `${page.style.bold(title.toUpperCase())}\n${body}` : body;
  };
}

/** Sentences, wrapped at words on a terminal. */
export function wrapped(text: View | string): View {
  return (page) => wrapLines(cellText(text, page), page, page.columns).join('\n');
}

/** Redacted before it is wrapped: a line break would hide a secret from the search for it. */
function wrapLines(text: string, page: Page, width: number): string[] {
  return wrapText(redact(text, page.secrets), width);
}

/** A view for people on a terminal, and another one for what reads a pipe. */
export function onTerminal(view: View, piped: View): View {
  return (page) => (page.terminal ? view : piped)(page);
}

/** Views below one another, on a terminal with an empty line between them; an empty view leaves no trace. */
export function stackViews(...views: (View | string | undefined | View[])[]): View {
  return (page) =>
    views
      .flat()
      .map((view) => (typeof view === 'function' ? view(page) : (view ?? '')))
      .filter((part) => part !== '')
      .join(page.terminal ? '\n\n' : '\n');
}

export function cellText(cell: Cell, page: Page): string {
  if (typeof cell === 'function') return cell(page);
  if (cell === null || cell === undefined) return '';
  return String(cell);
}

/** Tabs and line breaks in a value must not break the table. */
function cellLine(cell: Cell, page: Page): string {
  return stripControlSequences(cellText(cell, page), true).replace(/[\n\t]+/g, ' ');
}

interface Column {
  index: number;
  width: number;
  minWidth: number;
  /** Its place in the order of columns to keep; Infinity for those that are dropped first. */
  rank: number;
  right: boolean;
}

/** A number is aligned to the right and never shortened. `place` is that among the columns to keep. */
function createColumn(title: string, index: number, body: readonly string[][], place: number, right: boolean): Column {
  const width = body.reduce((most, cells) => Math.max(most, displayWidth(cells[index] ?? '')), title.length);
  const isKept = place >= 0;
  const minWidth = right || isKept ? width : Math.min(width, minCellWidth);
  return { index, width, minWidth, rank: isKept ? place : Number.POSITIVE_INFINITY, right };
}

/** Returns the columns that fit: the least important ones are dropped, then the widest becomes narrower. */
function fitColumns(columns: readonly Column[], room: number): Column[] {
  const kept = columns.map((column) => ({ ...column }));
  const isTooWide = (widthOf: (column: Column) => number) =>
    kept.reduce((sum, column) => sum + widthOf(column) + gap.length, -gap.length) > room;
  const drop = (least: number) => {
    while (kept.length > least && isTooWide(({ minWidth }) => minWidth)) dropLeastImportant(kept);
  };
  const narrow = (limit: number) => {
    for (const column of kept.toSorted((a, b) => b.rank - a.rank)) {
      if (isTooWide(({ minWidth }) => minWidth)) column.minWidth = Math.min(column.minWidth, limit);
    }
  };
  // The two most important columns stay together: the second becomes narrower before the first, an id to copy, does.
  drop(2);
  narrow(minShortWidth);
  drop(1);
  narrow(1);
  while (isTooWide(({ width }) => width)) {
    const [widest] = kept.filter(({ width, minWidth }) => width > minWidth).sort((a, b) => b.width - a.width);
    if (!widest) break;
    widest.width -= 1;
  }
  return kept;
}

function dropLeastImportant(columns: Column[]): void {
  const rank = columns.reduce((most, column) => Math.max(most, column.rank), 0);
  columns.splice(
    columns.findLastIndex((column) => column.rank === rank),
    1,
  );
}

function pad(cell: string, width: number, right: boolean): string {
  const room = width - displayWidth(cell);
  if (room < 0) return truncate(cell, width);
  return right ? ' '.repeat(room) + cell : cell + ' '.repeat(room);
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

const minExplanationWidth = 16;

/**
 * Rows of text, for explanations rather than data: on a terminal long cells continue on the next line and no column is
 * dropped. Its time grows with the square of the number of rows. Off a terminal the rows are those of {@link table}.
 */
export function wrappedTable<Row>(rows: readonly Row[], columns: Columns<Row>, { titled = true } = {}): View {
  return (page) => {
    if (rows.length === 0) return '';
    if (!page.terminal || page.accessible) return table(rows, [], columns)(page);
    const titles = titled ? [Object.keys(columns).map((title) => page.style.bold(title))] : [];
    const body = rows.map((row) => Object.values(columns).map((read) => cellText(read(row), page)));
    return draw([...titles, ...body], page);
  };
}

function draw(cells: readonly string[][], page: Page): string {
  const widths = fitWidths(naturalWidths(cells), page.columns);
  // Loaded on demand: most commands that can draw such a table do not.
  const CliTable = require('cli-table3') as typeof import('cli-table3');
  const drawn = new CliTable({
    chars: borderless,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: widths,
    wordWrap: true,
  });
  for (const row of cells) drawn.push(row.map((cell, index) => breakWords(cell, widths[index] ?? 0)));
  return drawn.toString().replace(/ +$/gm, '');
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const borderless = { ...Object.fromEntries(borders.split(' ').map((name) => [name, ''])), middle: gap };

function naturalWidths(cells: readonly string[][]): number[] {
  const lineWidths = (cell = '') => cell.split('\n').map(displayWidth);
  return (cells[0] ?? []).map((_, index) =>
    cells.reduce((most, row) => lineWidths(row[index]).reduce((a, b) => Math.max(a, b), most), 1),
  );
}

/** The explanation in the last column is wrapped first. If it got too narrow, all wide columns share what is left. */
function fitWidths(natural: readonly number[], columns: number): number[] {
  const others = natural.slice(0, -1);
  const last = natural.at(-1) ?? 0;
  const room = columns - gap.length * others.length;
  const forLast = others.reduce((left, width) => left - width, room);
  if (forLast >= Math.min(last, minExplanationWidth)) return [...others, Math.min(last, forLast)];
  let left = room;
  let columnsLeft = natural.length;
  const widths = [...natural];
  for (const [index, width] of [...natural.entries()].sort(([, a], [, b]) => a - b)) {
    const fitted = Math.min(width, Math.max(1, Math.floor(left / columnsLeft)));
    widths[index] = fitted;
    left -= fitted;
    columnsLeft -= 1;
  }
  return widths;
}

/** The drawing library cuts off words that are wider than their column, and does not count blanks before the first word. */
function breakWords(cell: string, width: number): string {
  return cell
    .replace(/^\s+/gm, '')
    .replace(/\S+/g, (word) => (displayWidth(word) <= width ? word : pieces(word, width).join('\n')));
}

function pieces(word: string, width: number): string[] {
  const lines = [''];
  for (const character of stripControlSequences(word, false)) {
    const last = lines.at(-1) ?? '';
    if (last === '' || displayWidth(last + character) <= width) lines[lines.length - 1] = last + character;
    else lines.push(character);
  }
  return lines;
}
