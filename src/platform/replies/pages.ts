import type { Fix } from '../../kernel/command-line.ts';
import { FailedError } from '../../kernel/errors.ts';
import { count, groupDigits } from '../../kernel/output/format.ts';

/** One page of a list, and what it says about the next. */
export interface ListPage<Item> {
  items: readonly Item[];
  /** Empty or absent on the last page. */
  nextToken?: string | null | undefined;
  /** Number of items in all pages, if the platform says so. */
  total?: number | null | undefined;
}

/** Where a page starts: the token from the previous page, or the number of items to skip. */
export type PagePosition = { token: string } | { offset: number };

export interface NewItems<Item> {
  /** Without those that an earlier page had. */
  items: Item[];
  page: ListPage<Item>;
}

interface ReadPagesOptions<Item> {
  read: (position: PagePosition | undefined) => Promise<ListPage<Item>>;
  /** Identifies an item. */
  key: (item: Item) => string;
  /** How this endpoint pages according to its documentation. If that fails, the other way is tried once. */
  by: 'token' | 'offset';
  /** Items requested per page: a full page suggests that there are more, if nothing else says so. */
  limit?: number | undefined;
  /** The fix for a list that never ends. */
  fix: Fix;
}

/** A backend that filters may return empty pages before the next item. */
const maxEmptyPages = 100;
/** Passes over all pages that find nothing new, although items are still missing. */
const maxVainPasses = 3;
/** Limits for a server that never stops returning new items and tokens. */
const maxPages = 10_000;
const maxItems = { unannounced: 100_000, announced: 1_000_000 };

/**
 * Reads a list page by page, each item once. Items of equal rank may change places between pages: if some are missing after
 * the last page, all pages are read again. Ends when no items are missing, or when pages have no new ones. Returns false if
 * fewer items were read than announced. Throws FailedError if the list does not end.
 */
export async function* readPages<Item>(options: ReadPagesOptions<Item>): AsyncGenerator<NewItems<Item>, boolean> {
  const { read, key, limit } = options;
  const seen = new Set<string>();
  let { by } = options;
  let hasSwitched = false;
  let empty = 0;
  let total = Number.POSITIVE_INFINITY;
  let furthest = 0;
  let before: ListPage<Item> = { items: [] };
  let pages = 0;
  let end = 0;
  let readBefore = 0;
  let vainPasses = 0;
  for (let position: PagePosition | undefined; ; ) {
    const page = await read(position);
    pages++;
    const items = page.items.filter((item) => isNew(seen, key(item)));
    yield { items, page };
    if (pages > maxPages) throw endless(pages, seen.size, page.total, options.fix);

    const start = position ? ('offset' in position ? position.offset : end) : 0;
    end = start + page.items.length;
    const isRepeated = items.length === 0 && (page.items.length > 0 ? end > furthest : isSameToken(position, page));
    if (position && isRepeated) {
      // The platform ignores the position: it may page in the other way.
      by = by === 'offset' ? 'token' : 'offset';
      position = hasSwitched ? undefined : positionAfter(before, by, seen.size);
      hasSwitched = true;
      if (position) continue;
      return seen.size >= total;
    }
    // Items that no longer match make later ones move up, before the next offset: step back.
    const removed = position && by === 'offset' && start > 0 ? total - (page.total ?? total) : 0;
    total = Math.min(total, page.total ?? total);
    furthest = Math.max(furthest, end);
    if (removed > 0) {
      position = { offset: Math.max(0, start - removed) };
      continue;
    }
    hasSwitched &&= items.length === 0;
    empty = page.items.length > 0 ? 0 : empty + 1;
    if (!hasMore(page, end, limit)) {
      if (!Number.isFinite(total) || seen.size >= total) return true;
      vainPasses = seen.size > readBefore ? 0 : vainPasses + 1;
      if (vainPasses === maxVainPasses) return false;
      readBefore = seen.size;
      position = undefined;
      continue;
    }
    if (seen.size > itemLimit(page.total)) throw endless(pages, seen.size, page.total, options.fix);
    if (empty === maxEmptyPages) return false;
    if (empty > 0) {
      // An empty page does not advance the offset: only a new token does.
      const hasNewToken = page.nextToken && (by === 'token' || page.nextToken !== before.nextToken);
      if (!hasNewToken)
        return Number.isFinite(total) ? seen.size >= total : !hasSwitched && page.total !== Number.POSITIVE_INFINITY;
      by = 'token';
    }
    before = page;
    position = positionAfter(page, by, end) ?? { offset: end };
  }
}

/** The announced total may be that of one page, so up to ten times as many items are accepted. */
function itemLimit(total: number | null | undefined): number {
  if (!total || !Number.isFinite(total)) return maxItems.unannounced;
  return Math.min(maxItems.announced, Math.max(100, 10 * total));
}

function endless(pages: number, items: number, total: number | null | undefined, fix: Fix): FailedError {
  const read = `${count(items, 'item')} in ${count(pages, 'page')}`;
  const why = total && Number.isFinite(total) ? `${read}; ${groupDigits(total)} were announced` : read;
  return new FailedError('the list does not end: the platform keeps returning pages', { why, fix });
}

function isNew(seen: Set<string>, key: string): boolean {
  const { size } = seen;
  return seen.add(key).size > size;
}

function isSameToken(position: PagePosition | undefined, { nextToken }: ListPage<unknown>): boolean {
  return position !== undefined && 'token' in position && position.token === nextToken;
}

/** Decided by the token or the total; without them, a full page suggests that there are more, not one that is more than full. */
function hasMore({ nextToken, total, items }: ListPage<unknown>, end: number, limit: number | undefined): boolean {
  return Boolean(nextToken) || (total ? end < total : items.length === limit);
}

function positionAfter(
  { nextToken }: ListPage<unknown>,
  by: 'token' | 'offset',
  offset: number,
): PagePosition | undefined {
  if (by === 'offset') return { offset };
  return nextToken ? { token: nextToken } : undefined;
}
