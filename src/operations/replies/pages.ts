import { FailedError } from '../../errors.ts';
import { count, grouped } from '../../output/words.ts';

/** One page of a list, and what it says about the others. */
export interface Page<Item> {
  items: readonly Item[];
  /** How to ask for the next page; empty or absent when there is none. */
  nextToken?: string | null | undefined;
  /** Number of items in all pages, where the platform tells it. */
  total?: number | null | undefined;
}

/** Where a page begins: by the token of the page before it, or by the number of items to skip. */
export type Place = { token: string } | { offset: number };

export interface NewItems<Item> {
  /** Those that no earlier page had. */
  items: Item[];
  page: Page<Item>;
}

interface Reading<Item> {
  read: (place: Place | undefined) => Promise<Page<Item>>;
  /** What tells one item from another. */
  key: (item: Item) => string;
  /** How this endpoint is documented to page. When it does not work, the other way is tried once. */
  by: 'token' | 'offset';
  /** Items asked for in a page; a full page suggests that there are more, where nothing else tells. */
  limit?: number | undefined;
  /** What to do about a list that never ends. */
  fix: string;
}

/** Backends with filters give empty pages on the way to the next item, but not for ever. */
const mostEmptyPages = 100;
/** A server that gives new items and new tokens without end would be read until memory is full. */
const mostPages = 10_000;
const mostItems = { unannounced: 100_000, announced: 1_000_000 };

/**
 * Reads a list page by page, each item once. It ends when the platform tells of no more pages, or when a page brings
 * nothing new, whatever the platform says. Returns false when more was announced than could be read. Throws FailedError
 * when the pages go on beyond all measure.
 */
export async function* readPages<Item>(reading: Reading<Item>): AsyncGenerator<NewItems<Item>, boolean> {
  const { read, key, limit } = reading;
  const seen = new Set<string>();
  let { by } = reading;
  let hasSwitched = false;
  let empty = 0;
  let total = Number.POSITIVE_INFINITY;
  let furthest = 0;
  let before: Page<Item> = { items: [] };
  let pages = 0;
  for (let place: Place | undefined; ; ) {
    const page = await read(place);
    pages++;
    const items = page.items.filter((item) => isNew(seen, key(item)));
    yield { items, page };
    if (pages > mostPages) throw endless(pages, seen.size, page.total, reading.fix);

    const start = place && 'offset' in place ? place.offset : seen.size - items.length;
    const end = start + page.items.length;
    const isRepeated = items.length === 0 && (page.items.length > 0 ? end > furthest : isSameToken(place, page));
    if (place && isRepeated) {
      // What was asked for is ignored: the platform may page in the other way.
      by = by === 'offset' ? 'token' : 'offset';
      place = hasSwitched ? undefined : placeAfter(before, by, seen.size);
      hasSwitched = true;
      if (place) continue;
      return seen.size >= total;
    }
    // Items that match no longer let those behind them move up, past the place where we go on: step back.
    const gone = place && by === 'offset' && start > 0 ? total - (page.total ?? total) : 0;
    total = Math.min(total, page.total ?? total);
    furthest = Math.max(furthest, end);
    if (gone > 0) {
      place = { offset: Math.max(0, start - gone) };
      continue;
    }
    hasSwitched &&= items.length === 0;
    empty = page.items.length > 0 ? 0 : empty + 1;
    if (!hasMore(page, end, limit)) return true;
    if (seen.size > mostOf(page.total)) throw endless(pages, seen.size, page.total, reading.fix);
    if (empty === mostEmptyPages) return false;
    if (empty > 0) {
      // An empty page does not move the offset: only a new token leads on.
      const leadsOn = page.nextToken && (by === 'token' || page.nextToken !== before.nextToken);
      if (!leadsOn)
        return Number.isFinite(total) ? seen.size >= total : !hasSwitched && page.total !== Number.POSITIVE_INFINITY;
      by = 'token';
    }
    before = page;
    place = placeAfter(page, by, end) ?? { offset: end };
  }
}

/** The most items that are read. The number announced may be that of one page: far beyond it the list is endless. */
function mostOf(total: number | null | undefined): number {
  if (!total || !Number.isFinite(total)) return mostItems.unannounced;
  return Math.min(mostItems.announced, Math.max(100, 10 * total));
}

function endless(pages: number, items: number, total: number | null | undefined, fix: string): FailedError {
  const read = `${count(items, 'item')} in ${count(pages, 'page')}`;
  const why = total && Number.isFinite(total) ? `${read}, where ${grouped(total)} were announced` : read;
  return new FailedError('the list does not end: the platform gives page after page', { why, fix });
}

function isNew(seen: Set<string>, key: string): boolean {
  const { size } = seen;
  return seen.add(key).size > size;
}

function isSameToken(place: Place | undefined, { nextToken }: Page<unknown>): boolean {
  return place !== undefined && 'token' in place && place.token === nextToken;
}

/** The platform tells by a token or by the number of all; when by neither, a full page suggests it. */
function hasMore({ nextToken, total, items }: Page<unknown>, end: number, limit: number | undefined): boolean {
  return Boolean(nextToken) || (total ? end < total : limit !== undefined && items.length >= limit);
}

function placeAfter({ nextToken }: Page<unknown>, by: 'token' | 'offset', offset: number): Place | undefined {
  if (by === 'offset') return { offset };
  return nextToken ? { token: nextToken } : undefined;
}
