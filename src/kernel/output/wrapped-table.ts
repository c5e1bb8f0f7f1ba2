import { displayWidth } from './display-width.ts';
import type { Page, View } from './page.ts';
import { stripControlSequences } from './sanitize.ts';
import { type Columns, cellText, table } from './table.ts';

interface WrappedTableOptions {
  /** Whether the columns have titles. Default: true. */
  titled?: boolean;
}

const gap = '  ';
/** In columns. */
const minExplanationWidth = 16;

/**
 * Rows of text, for explanations rather than data: on a terminal long cells continue on the next line and no column is
 * dropped. Its time grows with the square of the number of rows. Off a terminal the rows are those of {@link table}.
 */
export function wrappedTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { titled = true }: WrappedTableOptions = {},
): View {
  return (page) => {
    if (rows.length === 0) return '';
    if (!page.terminal || page.accessible) return table(rows, columns)(page);
    const titles = titled ? [Object.keys(columns).map((title) => page.style.bold(title))] : [];
    return draw(
      [...titles, ...rows.map((row) => Object.values(columns).map((read) => cellText(read(row), page)))],
      page,
    );
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

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: gap,
};

function naturalWidths(cells: readonly string[][]): number[] {
  const lineWidths = (cell = '') => cell.split('\n').map(displayWidth);
  return (cells[0] ?? []).map((_, index) =>
    cells.reduce((most, row) => lineWidths(row[index]).reduce((one, other) => Math.max(one, other), most), 1),
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
