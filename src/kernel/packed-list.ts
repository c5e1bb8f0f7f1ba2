import { parseJson, stringifyJson } from './json-text.ts';

/** Loaded by the first list that is long enough: every start of the program loads this module. */
const zlib = () => process.getBuiltinModule('node:zlib');

const batchSize = 1_000;

/** A list of a million values and more. They are packed, and unpacked one batch after another whenever it is read. */
export class PackedList<Item> implements Iterable<Item> {
  readonly #batches: Buffer[] = [];
  /** The last items. A short list is never packed. */
  #open: Item[] = [];

  static from<Item, Made = Item>(items: Iterable<Item>, make?: (item: Item) => Made): PackedList<Made> {
    const list = new PackedList<Made>();
    for (const item of items) list.add(make ? make(item) : (item as never));
    return list;
  }

  get length(): number {
    return this.#batches.length * batchSize + this.#open.length;
  }

  add(item: Item): void {
    this.#open.push(item);
    if (this.#open.length < batchSize) return;
    this.#batches.push(zlib().deflateRawSync(stringifyJson(this.#open), { level: 1 }));
    this.#open = [];
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const batch of this.batches()) yield* batch;
  }

  /** The items of this list and then others, unpacked while they are read. */
  concat(others: Iterable<Item>): Iterable<Item> {
    const list = this;
    return {
      *[Symbol.iterator]() {
        yield* list;
        yield* others;
      },
    };
  }

  first(count: number): Item[] {
    const [batch = []] = this.batches();
    return batch.slice(0, count);
  }

  *batches(): Generator<Item[]> {
    for (const batch of this.#batches) yield parseJson(zlib().inflateRawSync(batch).toString('utf8')) as Item[];
    if (this.#open.length > 0) yield this.#open;
  }

  toJSON(): Item[] {
    return [...this];
  }
}

const maxRunLength = 20_000;

/** Sorts any number of items without holding them unpacked. Equal items keep their order. */
export function sortPacked<Item>(items: Iterable<Item>, compare: (a: Item, b: Item) => number): Iterable<Item> {
  const runs: Iterable<Item>[] = [];
  let open: Item[] = [];
  const endRun = () => {
    open.sort(compare);
    runs.push(runs.length === 0 && open.length < maxRunLength ? open : PackedList.from(open));
    open = [];
  };
  for (const item of items) {
    open.push(item);
    if (open.length === maxRunLength) endRun();
  }
  endRun();
  return mergeRuns(runs, compare);
}

function mergeRuns<Item>(runs: Iterable<Item>[], compare: (a: Item, b: Item) => number): Iterable<Item> {
  const [first = [], ...others] = runs;
  if (others.length === 0) return first;
  const middle = Math.ceil(runs.length / 2);
  const [left, right] = [runs.slice(0, middle), runs.slice(middle)].map((half) => mergeRuns(half, compare));
  return { [Symbol.iterator]: () => mergeTwo(left ?? [], right ?? [], compare) };
}

function* mergeTwo<Item>(left: Iterable<Item>, right: Iterable<Item>, compare: (a: Item, b: Item) => number) {
  const others = right[Symbol.iterator]();
  let other = others.next();
  for (const item of left) {
    for (; !other.done && compare(other.value, item) < 0; other = others.next()) yield other.value;
    yield item;
  }
  for (; !other.done; other = others.next()) yield other.value;
}

/** Orders by UTF-16 code units, whatever the locale is. */
export function byUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
