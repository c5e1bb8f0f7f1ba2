import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPage } from '../../../src/kernel/output/page.ts';
import { wrappedTable } from '../../../src/kernel/output/table.ts';
import { widthOf } from '../../support/width.ts';

const page = (columns?: number) =>
  createPage({ isTTY: columns !== undefined, columns } as never, { NO_COLOR: '1' }, 'auto', 0);
const columns = { NAME: (row: string[]) => row[0], MEANING: (row: string[]) => row[1] };
const rows = [
  ['short', 'a few words that do not fit on one line'],
  ['a-word-that-is-wider-than-its-column', 'x'],
];

test('long cells continue on the next line, at words, and lines have no trailing blanks', () => {
  expect(wrappedTable(rows, columns)(page(40)).split('\n')).toEqual([
    'NAME                 MEANING',
    'short                a few words that do',
    '                     not fit on one line',
    'a-word-that-is-wide  x',
    'r-than-its-column',
  ]);
  expect(wrappedTable(rows, columns, { titled: false })(page(80)).split('\n')).toEqual([
    'short                                 a few words that do not fit on one line',
    'a-word-that-is-wider-than-its-column  x',
  ]);
});

test('in a pipe it is an ordinary table', () => {
  expect(wrappedTable(rows, columns)(page())).toBe(rows.map((row) => row.join('\t')).join('\n'));
  expect(wrappedTable([], columns)(page(80))).toBe('');
});

test('no line is wider than the terminal, and no character is lost', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '漢', '-', ' ', '\n'), maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 10, max: 90 }),
      (cells, width) => {
        const drawn = wrappedTable(cells, columns, { titled: false })(page(width));
        for (const line of drawn.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
        const letters = (all: string) => [...all.replace(/\s/g, '')].sort().join('');
        expect(letters(drawn)).toBe(letters(cells.flat().join('')));
      },
    ),
    { numRuns: 200 },
  );
});
