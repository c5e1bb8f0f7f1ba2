import { attempt } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json-text.ts';
import { markUnreadable, unreadableItems } from '../contract/lists.ts';

/** Whether a body is a JSON list, by its first character. */
export function startsList(chunks: readonly Buffer[]): boolean {
  return /^\ufeff?\s*\[/.test(chunks[0]?.toString('utf8', 0, 64) ?? '');
}

/** Holds no items, but their text, which it parses at each reading. Empties `chunks`. Throws a SyntaxError. */
export function readLongList<Item>(chunks: Buffer[], read: (items: unknown[]) => Item[]): Iterable<Item> {
  const texts: Buffer[] = [];
  const unreadable = [];
  for (const { text, items } of splitList(chunks)) {
    for (const item of unreadableItems(read(items))) unreadable.push(item);
    texts.push(text);
  }
  const list: Iterable<Item> = {
    *[Symbol.iterator]() {
      for (const text of texts) yield* read(parseItems(text));
    },
  };
  markUnreadable(list, unreadable);
  return list;
}

const parseItems = (text: Buffer) => parseJson(`[${text}]`) as unknown[];

/**
 * The text between the brackets of a list, some items at a time. A comma after an object is between two items if what is
 * before it is JSON. Where it is not, more is held, and twice as much before the next try.
 */
function* splitList(chunks: Buffer[]): Generator<{ text: Buffer; items: unknown[] }> {
  let held: Buffer[] = [];
  let isFirst = true;
  let bytes = 0;
  let inVain = 0;
  const heldText = () => {
    const all = Buffer.concat(held);
    return isFirst ? all.subarray(all.indexOf('[') + 1) : all;
  };
  for (const [index, chunk] of chunks.entries()) {
    // The copy in a text replaces the chunk.
    chunks[index] = nothing;
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < 2 * inVain || !chunk.includes('},')) continue;
    const all = heldText();
    const text = all.subarray(0, all.lastIndexOf('},') + 1);
    const items = attempt(() => parseItems(text));
    inVain = items ? 0 : bytes;
    if (!items) continue;
    yield { text, items };
    isFirst = false;
    held = [all.subarray(text.length + 1)];
    bytes = all.length - text.length - 1;
  }
  const rest = heldText();
  const items = parseJson(`[${rest}`) as unknown[];
  if (items.length === 0 && !isFirst) throw new SyntaxError('there is nothing after the last comma');
  yield { text: rest.subarray(0, rest.lastIndexOf(']')), items };
}

const nothing = Buffer.alloc(0);
