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
}

/** Backends with filters give empty pages on the way to the next item, but not for ever. */
const mostEmptyPages = 100;

/**
 * Reads a list page by page, each item once. It ends when the platform tells of no more pages, or when a page brings
 * nothing new, whatever the platform says. Returns false when more was announced than could be read.
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
  for (let place: Place | undefined; ; ) {
    const page = await read(place);
    const items = page.items.filter((item) => isNew(seen, key(item)));
    yield { items, page };

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
    if (empty > 0 && by === 'offset') return !hasSwitched;
    if (empty === mostEmptyPages) return false;
    before = page;
    place = placeAfter(page, by, end) ?? { offset: end };
  }
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
