import { parseJson } from '../../kernel/json-text.ts';
import { markUnreadable, unreadableItems } from '../contract/lists.ts';

/** Whether a body is a JSON list, by its first character. */
export function startsList(chunks: readonly Buffer[]): boolean {
  return /^\ufeff?\s*\[/.test(chunks[0]?.toString('utf8', 0, 64) ?? '');
}

/** Holds no items, but their text, which it parses at each reading. Empties `chunks`. Throws a SyntaxError. */
export function readLongList<Item>(chunks: Buffer[], read: (items: unknown[]) => Item[]): Iterable<Item> {
  const batches: Buffer[] = [];
  const unreadable = [];
  for (const batch of splitList(chunks)) {
    for (const item of unreadableItems(read(parseBatch(batch)))) unreadable.push(item);
    batches.push(batch);
  }
  const list: Iterable<Item> = {
    *[Symbol.iterator]() {
      for (const batch of batches) yield* read(parseBatch(batch));
    },
  };
  markUnreadable(list, unreadable);
  return list;
}

function parseBatch(batch: Buffer): unknown[] {
  const items = parseJson(`[${batch.toString('utf8')}]`) as unknown[];
  if (items.length === 0) throw new SyntaxError('there is nothing between two commas');
  return items;
}

/** Splits the text between the brackets of a list at commas between its items, about once in each chunk. */
function* splitList(chunks: Buffer[]): Generator<Buffer> {
  const scanner = new ListScanner();
  let held: Buffer[] = [];
  for (const [index, chunk] of chunks.entries()) {
    // The copy in a batch replaces the chunk.
    chunks[index] = nothing;
    const { start, comma, end } = scanner.scan(chunk);
    const cut = end ?? comma;
    if (cut === undefined) held.push(chunk.subarray(start));
    else {
      yield Buffer.concat([...held, chunk.subarray(start, cut)]);
      held = [chunk.subarray(cut + 1)];
    }
    if (end === undefined) continue;
    checkBlank([...held, ...chunks.slice(index + 1)]);
    return;
  }
  throw new SyntaxError('the list has no end');
}

const nothing = Buffer.alloc(0);

function checkBlank(rest: readonly Buffer[]): void {
  for (const text of rest) if (text.toString('utf8').trim() !== '') throw new SyntaxError('text after the list');
}

const quote = 0x22;
const backslash = 0x5c;
const itemSeparator = 0x2c;
const listEnd = 0x5d;
const nesting = new Int8Array(256);
for (const opening of [0x5b, 0x7b]) nesting[opening] = 1;
for (const closing of [0x5d, 0x7d]) nesting[closing] = -1;
const isSign = nesting.map((deeper, byte) => Number(deeper !== 0 || [quote, backslash, itemSeparator].includes(byte)));

/** Finds where the items of a list begin, are separated and end. Looks at bytes: UTF-8 has no such byte in a character. */
class ListScanner {
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /** The position after the opening bracket, of the last comma between two items, and of the closing bracket. */
  scan(chunk: Buffer): { start: number; comma: number | undefined; end: number | undefined } {
    let start = 0;
    let comma: number | undefined;
    for (let at = this.#nextSign(chunk, 0); at < chunk.length; at = this.#nextSign(chunk, at + 1)) {
      const byte = chunk[at] as number;
      if (this.#isInString(byte)) continue;
      if (this.#separatesItems(byte)) comma = at;
      const deeper = nesting[byte] as number;
      if (deeper === 0) continue;
      this.#depth += deeper;
      if (this.#depth === deeper) start = at + 1;
      if (this.#depth <= 0) return { start, comma, end: this.#endAt(at, byte) };
    }
    // All of it precedes the list.
    if (this.#depth === 0) start = chunk.length;
    return { start, comma, end: undefined };
  }

  #nextSign(chunk: Buffer, from: number): number {
    let at = from;
    if (!this.#isEscaped) while (at < chunk.length && isSign[chunk[at] as number] === 0) at++;
    return at;
  }

  #separatesItems(byte: number): boolean {
    return byte === itemSeparator && this.#depth === 1;
  }

  #endAt(at: number, byte: number): number {
    if (this.#depth === 0 && byte === listEnd) return at;
    throw new SyntaxError('a bracket ends what it did not begin');
  }

  #isInString(byte: number): boolean {
    const wasString = this.#isString;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === quote) this.#isString = !this.#isString;
    else this.#isEscaped = this.#isString && byte === backslash;
    return wasString;
  }
}
