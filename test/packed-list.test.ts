import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createPage } from '../src/kernel/output/page.ts';
import { createRenderer, type JsonChoice } from '../src/kernel/output/render.ts';
import { PackedList, sortPacked } from '../src/kernel/packed-list.ts';

const items = Array.from({ length: 2_500 }, (_, index) => ({ path: `/folder/${index}`, odd: '\ud800\u{1f600}"\n' }));

test('a packed list gives its items back as often as it is read', () => {
  const list = PackedList.from(items);
  expect(list).toHaveLength(items.length);
  for (const _ of [1, 2]) expect([...list]).toEqual(items);
  expect(list.first(3)).toEqual(items.slice(0, 3));
  expect([[...new PackedList()], new PackedList().first(1)]).toEqual([[], []]);
});

test.each([0, 1, 19_999, 20_000, 70_001])('sorts %i items, and keeps the order of equal ones', (length) => {
  const rows = Array.from({ length }, (_, index) => ({ key: (index * 7_919) % 1_000, index }));
  const byKey = (one: { key: number }, other: { key: number }) => one.key - other.key;
  expect([...sortPacked(rows, byKey)]).toEqual(rows.toSorted(byKey));
});

test.each<[JsonChoice, (list: unknown) => unknown]>([
  [true, (list) => list],
  [true, (list) => ({ before: 1, list, undefined, none: PackedList.from([]), inner: { a: [1] } })],
  [['path', 'odd'], (list) => list],
  [['list'], (list) => ({ list, other: 2 })],
])('is printed as an array is (%j)', async (json, wrap) => {
  const print = async (value: unknown) => {
    const stdout = new PassThrough();
    const printed = text(stdout);
    await createRenderer(stdout as never, createPage({} as never, {}, 'never', 0), json).value(value, () => '');
    stdout.end();
    return printed;
  };
  const asArray = JSON.parse(JSON.stringify(wrap(items)));
  expect(await print(wrap(PackedList.from(items)))).toBe(await print(asArray));
});
