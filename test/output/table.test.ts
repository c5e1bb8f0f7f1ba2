import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPage } from '../../src/output/page.ts';
import { keyValueTable, stackViews, table } from '../../src/output/table.ts';
import { widthOf } from '../support/width.ts';

const page = (columns?: number) =>
  createPage({ isTTY: columns !== undefined, columns } as never, { NO_COLOR: '1' }, 'auto', 0);

const columns = { NAME: (row: string[]) => row[0], STATUS: (row: string[]) => row[1], NOTE: (row: string[]) => row[2] };

test('a table fits its terminal, whatever is in it', () => {
  const cell = fc.string({
    unit: fc.constantFrom(
      'a',
      'ä',
      '漢',
      '🙂',
      '👩‍👩‍👧',
      'e\u0301',
      ' ',
      '\n',
      '\t',
      '\u001b[31m',
      '\u001b[2J',
      '\u0007',
    ),
  });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 8, max: 120 }),
      (rows, width) => {
        for (const firm of [[], ['NAME'], ['NAME', 'NOTE']]) {
          const lines = table(rows, columns, firm)(page(width)).split('\n');
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('firm columns stay whole as long as they fit, and the others share what is left', () => {
  const rows = [['a-name-of-25-characters-x', 'a-status-of-some-length', 'note-of-18-letters']];
  const lines = (width: number, firm?: string[]) => table(rows, columns, firm)(page(width)).split('\n');
  expect(lines(60)[1]).toBe('a-name-of-25-chara…  a-status-of-some-l…  note-of-18-letters');
  expect(lines(60, ['NAME', 'NOTE'])[1]).toBe('a-name-of-25-characters-x  a-status-of-…  note-of-18-letters');
  expect(lines(50, ['NAME', 'NOTE'])).toEqual([
    'NAME                       NOTE',
    'a-name-of-25-characters-x  note-of-18-letters',
  ]);
  expect(lines(40, ['NAME', 'NOTE'])[1]).toBe('a-name-of-25-charac…  note-of-18-letters');
});

test('in a pipe nothing is cut', () => {
  const long = 'x'.repeat(500);
  expect(table([['web', 'ready', long]], columns)(page())).toBe(`NAME  STATUS  NOTE\nweb   ready   ${long}`);
});

test('columns line up below wide characters', () => {
  const text = table(
    [
      ['漢字', 'ok'],
      ['abcd', 'ok'],
      ['🙂', 'ok'],
    ],
    { NAME: (row) => row[0], OK: (row) => row[1] },
  )(page());
  expect(text).toBe('NAME  OK\n漢字  ok\nabcd  ok\n🙂    ok');
});

test('a column with nothing in it is left out, and an empty table is no text', () => {
  expect(table([['web', '', null]], { A: (row) => row[0], B: (row) => row[1], C: (row) => row[2] })(page())).toBe(
    'A\nweb',
  );
  expect(table([], columns)(page())).toBe('');
});

test('a newline in a cell does not break its row', () => {
  expect(table([['a\nb\tc', 'x']], columns)(page()).split('\n')[1]).toBe('a b c  x');
});

test('facts line up and leave out what is not known', () => {
  expect(
    keyValueTable([
      ['name', 'web'],
      ['none', undefined],
      ['created at', 0],
      ['empty', ''],
    ])(page()),
  ).toBe('name        web\ncreated at  0');
});

test('views stand below one another, empty ones leave no trace', () => {
  expect(
    stackViews(
      'a',
      undefined,
      () => '',
      () => 'b',
    )(page()),
  ).toBe('a\n\nb');
});
