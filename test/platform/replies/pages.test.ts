import { describe, expect, test } from 'vitest';
import { type ListPage, type PagePosition, readPages } from '../../../src/platform/replies/pages.ts';
import { Draw } from '../../chaos/draw.js';

const all = Array.from({ length: 25 }, (_, index) => index);

type Server = (place: PagePosition | undefined, call: number) => ListPage<number>;

const offsetOf = (place: PagePosition | undefined) => (place && 'offset' in place ? place.offset : 0);
const tokenOf = (place: PagePosition | undefined) => (place && 'token' in place ? Number(place.token) : 0);
const from = (start: number, size = 10) => all.slice(start, start + size);

async function readAll(server: Server, by: 'token' | 'offset', limit?: number) {
  const items: number[] = [];
  let calls = 0;
  const read = async (place: PagePosition | undefined) => {
    calls++;
    if (calls > 150) throw new Error('it never ends');
    return server(place, calls);
  };
  const pages = readPages({ read, key: String, by, limit, fix: 'choose fewer' });
  let next = await pages.next();
  for (; !next.done; next = await pages.next()) for (const item of next.value.items) items.push(item);
  return { items, isWhole: next.value, calls };
}

describe('a list is read completely', () => {
  const byOffset: Server = (place) => ({ items: from(offsetOf(place)) });
  const byToken: Server = (place) => {
    const end = tokenOf(place) + 10;
    return { items: from(tokenOf(place)), ...(end < 25 && { nextToken: String(end) }) };
  };

  /** A full page whose last item is there twice, so that the next page begins where it would without that. */
  const repeats =
    (read: typeof from): Server =>
    (place) => {
      const items = read(offsetOf(place), 9);
      return { items: items.length === 9 ? [...items, ...items.slice(-1)] : items };
    };
  const doubled = [...all.slice(0, 8), ...all.slice(7)];

  test.each<[string, Server, 'token' | 'offset', number | undefined]>([
    ['by offset until a page is not full', byOffset, 'offset', 10],
    ['by offset, with a total', (place) => ({ ...byOffset(place, 0), total: 25 }), 'offset', undefined],
    ['by offset, with a token in every page', (place) => ({ ...byOffset(place, 0), nextToken: 'x' }), 'offset', 10],
    ['by offset, with a token that repeats', (place) => ({ ...byOffset(place, 0), nextToken: 'x' }), 'token', 10],
    ['by token', byToken, 'token', undefined],
    ['by token, although it was asked by offset', byToken, 'offset', undefined],
    ['by offset, where there is a total but no token', (p) => ({ ...byOffset(p, 0), total: 25 }), 'token', undefined],
    ['with pages smaller than asked for', (p) => ({ items: from(offsetOf(p), 3), total: 25 }), 'offset', 100],
    ['although a page has an item twice, and the offset counts it once', repeats(from), 'offset', 10],
    [
      'although the list has an item twice',
      (p) => ({ items: doubled.slice(offsetOf(p), offsetOf(p) + 10) }),
      'offset',
      10,
    ],
    ['although a page has one twice, with a total', (p) => ({ ...repeats(from)(p, 0), total: 25 }), 'offset', 10],
    ['with pages that overlap', (p) => ({ items: from(Math.max(0, offsetOf(p) - 4)), total: 25 }), 'offset', 10],
    [
      'with empty pages on the way',
      (p) => {
        const at = tokenOf(p);
        return { items: at % 2 ? [] : from(at * 5), ...(at < 5 && { nextToken: String(at + 1) }) };
      },
      'token',
      undefined,
    ],
  ])('%s', async (_, server, by, limit) => {
    const { items, isWhole } = await readAll(server, by, limit);
    expect([items, isWhole]).toEqual([all, true]);
  });

  test('although items are removed meanwhile', async () => {
    // After the first page, four of its items are removed.
    const left = all.slice(4);
    const server: Server = (place, call) =>
      call === 1 ? { items: from(0), total: 25 } : { items: left.slice(offsetOf(place)).slice(0, 10), total: 21 };
    const { items } = await readAll(server, 'offset', 10);
    expect(items.sort((a, b) => a - b)).toEqual(all);
  });
});

describe('items of equal rank that change places between pages', () => {
  const draw = new Draw(27);
  const shuffled = () => all.map((item) => ({ item, at: draw.next() })).sort((a, b) => a.at - b.at);
  const page = (place: PagePosition | undefined): ListPage<number> => {
    const start = Math.max(offsetOf(place), tokenOf(place));
    const items = shuffled().map(({ item }) => item);
    return { items: items.slice(start, start + 10), total: 25, ...(start < 15 && { nextToken: String(start + 10) }) };
  };

  test.each(['offset', 'token'] as const)('by %s, are all read', async (by) => {
    const { items, isWhole } = await readAll(page, by, 10);
    expect([items.sort((a, b) => a - b), isWhole]).toEqual([all, true]);
  });

  test('are not whole if one of them never comes', async () => {
    const server: Server = (place) => ({ ...page(place), items: page(place).items.filter((item) => item !== 7) });
    const { items, isWhole, calls } = await readAll(server, 'token', 10);
    expect([items.includes(7), isWhole, calls < 60]).toEqual([false, false, true]);
  });
});

describe('a list ends', () => {
  test.each<[string, Server, number]>([
    ['when every page is the same', () => ({ items: from(0), nextToken: 'x' }), 3],
    ['when every page is the same, each with a new token', (_, n) => ({ items: from(0), nextToken: `t${n}` }), 3],
    ['when the total is a lie', () => ({ items: from(0), total: 1_000 }), 3],
    ['when pages go in circles', (_, n) => ({ items: from((n % 2) * 10), nextToken: `t${n % 2}` }), 4],
    ['when an empty page leads to itself', () => ({ items: [], nextToken: 'x' }), 3],
    ['when empty pages go on', (_, n) => ({ items: [], nextToken: `t${n}` }), 101],
  ])('%s, and is incomplete', async (_, server, most) => {
    for (const by of ['token', 'offset'] as const) {
      const { calls, items, isWhole } = await readAll(server, by, 10);
      expect(calls).toBeLessThanOrEqual(most);
      expect(new Set(items).size).toBe(items.length);
      if (by === 'token') expect(isWhole).toBe(false);
    }
  });

  test.each<[Server]>([[() => ({ items: [] })], [() => ({ items: [1, 2] })], [() => ({ items: [], total: 0 })]])(
    'at its first page, if nothing announces more',
    async (server) => {
      expect(await readAll(server, 'offset', 10)).toMatchObject({ isWhole: true, calls: 1 });
    },
  );
});

describe('an endless list is an error,', () => {
  const endless = async (size: number, total?: number) => {
    let calls = 0;
    const read = async () => {
      const items = Array.from({ length: size }, (_, index) => calls * size + index);
      return { items, nextToken: `t${++calls}`, total };
    };
    const pages = readPages({ read, key: String, by: 'token', fix: 'choose fewer' });
    const reading = async () => {
      while (!(await pages.next()).done);
    };
    await expect(reading()).rejects.toMatchObject({ message: /does not end/, facts: { fix: 'choose fewer' } });
    return calls;
  };

  test.each([
    ['by ten times the number announced', 50, 100, 21],
    ['by its items', 1_000, undefined, 101],
    ['by its pages', 1, undefined, 10_001],
  ])('%s', async (_, size, total, calls) => {
    expect(await endless(size, total)).toBe(calls);
  });

  test('but not a large last page', async () => {
    const items = Array.from({ length: 100_001 }, (_, index) => index);
    expect(await readAll(() => ({ items }), 'token')).toMatchObject({ isWhole: true, calls: 1 });
    expect(await readAll(() => ({ items, total: 1 }), 'token')).toMatchObject({ isWhole: true, calls: 1 });
  });
});
