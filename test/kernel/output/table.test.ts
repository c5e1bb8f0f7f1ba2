import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationCell, numberCell } from '../../../src/kernel/output/format.ts';
import { createPage } from '../../../src/kernel/output/page.ts';
import { type Columns, keyValueTable, stackViews, table } from '../../../src/kernel/output/table.ts';
import { drawnCases } from '../../support/extent.ts';
import { widthOf } from '../../support/width.ts';

const page = (columns?: number) =>
  createPage({ isTTY: columns !== undefined, columns } as never, { NO_COLOR: '1' }, 'auto', 0);

const columns = { NAME: (row: string[]) => row[0], STATUS: (row: string[]) => row[1], NOTE: (row: string[]) => row[2] };

const number = (column: (row: string[]) => string | undefined) => (row: string[]) => numberCell(column(row) ?? '');
const numbers = { NAME: number(columns.NAME), STATUS: number(columns.STATUS), NOTE: number(columns.NOTE) };
const layouts: [keep: (keyof typeof columns)[], shown: Columns<string[], keyof typeof columns>][] = [
  [[], columns],
  [['NAME'], { ...columns, STATUS: numbers.STATUS }],
  [['NAME', 'NOTE'], columns],
  [[], numbers],
];

test('a duration of one thing has its unit beside its name off a terminal', () => {
  const facts = keyValueTable([['queued', durationCell(1_528)]]);
  expect([facts(page()), facts(page(80))]).toEqual(['queued in ms\t1528', 'queued  1.5 s']);
});

test('a table of any content fits its terminal', () => {
  const cell = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'ä', '漢', '🙂', '👩‍👩‍👧', 'e\u0301'),
      fc.constantFrom(' ', '\n', '\t', '\u001b[31m', '\u001b[2J', '\u0007'),
    ),
  });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 8, max: 120 }),
      (rows, width) => {
        for (const [keep, shown] of layouts) {
          const lines = table(rows, keep, shown)(page(width)).split('\n');
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      },
    ),
    { numRuns: drawnCases(100, 300) },
  );
});

test('important columns are not shortened, in the order of their importance', () => {
  const rows = [['a-name-of-25-characters-x', 'a-status-of-some-length', 'note-of-18-letters']];
  const lines = (width: number, keep: (keyof typeof columns)[] = []) =>
    table(rows, keep, columns)(page(width)).split('\n');
  expect(lines(60)[1]).toBe('a-name-of-25-chara…  a-status-of-some-l…  note-of-18-letters');
  expect(lines(60, ['NAME', 'NOTE'])[1]).toBe('a-name-of-25-characters-x  a-status-of-…  note-of-18-letters');
  expect(lines(50, ['NAME', 'NOTE'])).toEqual([
    'NAME                       NOTE',
    'a-name-of-25-characters-x  note-of-18-letters',
  ]);
  expect(lines(60, ['NOTE', 'STATUS', 'NAME'])[1]).toBe('a-status-of-some-length  note-of-18-letters');
  expect(lines(40, ['NAME', 'NOTE'])[1]).toBe('a-name-of-25-characters-x  note-of-18-l…');
});

test('a number is aligned to the right and never shortened', () => {
  const rows = [
    ['web', '1'],
    ['a-long-name-of-an-app', '123456789012'],
  ];
  const text = table(rows, [], { NAME: (row) => row[0], COUNT: (row) => Number(row[1]) })(page(30));
  expect(text).toBe('NAME                     COUNT\nweb                          1\na-long-name-of-…  123456789012');
});

test('a list on a very narrow terminal keeps its two most important columns', () => {
  const rows = [['8e3f2a91-5b1e-4c7d-9a34-0123456789ab', 'initializing', 'x']];
  const text = table(rows, ['NAME', 'STATUS'], columns)(page(46));
  expect(text.split('\n')[1]).toBe('8e3f2a91-5b1e-4c7d-9a34-0123456789ab  initial…');
});

test('in a pipe a table is tab-separated values with every cell, without titles', () => {
  const long = 'x'.repeat(500);
  const rows = [
    ['web', '', long],
    ['a\nb\tc', null, 'z'],
  ] as string[][];
  expect(table(rows, [], columns)(page())).toBe(`web\t\t${long}\na b c\t\tz`);
});

test('columns are aligned with wide characters', () => {
  const text = table(
    [
      ['漢字', 'ok'],
      ['abcd', 'ok'],
      ['🙂', 'ok'],
    ],
    [],
    { NAME: (row) => row[0], OK: (row) => row[1] },
  )(page(80));
  expect(text).toBe('NAME  OK\n漢字  ok\nabcd  ok\n🙂    ok');
});

test('on a terminal a column without values is dropped, an empty cell is a dash, and an empty table is no text', () => {
  const rows = [
    ['web', '', null],
    ['api', 'x', null],
  ];
  expect(table(rows, [], { A: (row) => row[0], B: (row) => row[1], C: (row) => row[2] })(page(80))).toBe(
    'A    B\nweb  -\napi  x',
  );
  expect(table([], [], columns)(page(80))).toBe('');
  expect(table([], [], columns)(page())).toBe('');
});

describe('a list of facts', () => {
  const pairs: [string, string | number | undefined][] = [
    ['name', 'web'],
    ['none', undefined],
    ['created at', 0],
    ['empty', ''],
    ['reason', 'one two three four five six'],
  ];

  test('is aligned, omits unknown values and wraps at words', () => {
    expect(keyValueTable(pairs)(page(33))).toBe(
      'name        web\ncreated at  0\nreason      one two three four\n            five six',
    );
    expect(keyValueTable(pairs, { wrap: false })(page(33))).toMatch(/four five six$/);
  });

  test('is a name, a tab and a value in a pipe', () => {
    expect(keyValueTable(pairs)(page())).toBe('name\tweb\ncreated at\t0\nreason\tone two three four five six');
    expect(keyValueTable([['a', 'b\nc\td']])(page())).toBe('a\tb c d');
  });
});

test('joins views with blank lines, and omits empty ones', () => {
  const view = stackViews(
    'a',
    undefined,
    () => '',
    () => 'b',
  );
  expect(view(page(80))).toBe('a\n\nb');
  expect(view(page())).toBe('a\nb');
});
