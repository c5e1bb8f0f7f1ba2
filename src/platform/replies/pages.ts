import type { Fix } from '../../kernel/command-line.ts';
import { FailedError } from '../../kernel/errors.ts';
import { count, groupDigits } from '../../kernel/output/format.ts';

export interface ListPage<Item> {
  items: readonly Item[];
  /** Empty or absent on the last page. */
  nextToken?: string | null | undefined;
  /** Number of items in all pages, if the platform says so. */
  total?: number | null | undefined;
}

/** Where a page starts: the token from the previous page, or the number of items to skip. */
export type PagePosition = { token: string } | { offset: number };

interface NewItems<Item> {
  /** Without those that an earlier page had. */
  items: Item[];
  page: ListPage<Item>;
}

interface ReadPagesOptions<Item> {
  read: (position: PagePosition | undefined) => Promise<ListPage<Item>>;
  key: (item: Item) => string;
  /** How this endpoint pages according to its documentation. If that fails, the other way is tried once. */
  by: 'token' | 'offset';
  /** Items requested per page: a full page suggests that there are more, if nothing else says so. */
  limit?: number | undefined;
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
  const list = new ListReading(options);
  for (let vainPasses = 0; vainPasses < maxVainPasses; ) {
    const { size } = list.keys;
    const end = yield* list.pass();
    if (list.keys.size >= list.total) return true;
    if (end === 'lost' || !Number.isFinite(list.total)) return end === 'last page';
    vainPasses = list.keys.size > size ? 0 : vainPasses + 1;
  }
  return false;
}

type PassEnd = 'last page' | 'lost';

class ListReading<Item> {
  readonly keys = new Set<string>();
  total = Number.POSITIVE_INFINITY;
  #by: 'token' | 'offset';
  #hasSwitched = false;
  #pages = 0;
  #furthest = 0;
  /** What this pass knows: its last page, how many empty ones are the last, and how many items it has passed. */
  #previous: ListPage<unknown> = { items: [] };
  #emptyPages = 0;
  #end = 0;

  constructor(private readonly options: ReadPagesOptions<Item>) {
    this.#by = options.by;
  }

  /** Reads all pages once. It is lost where no page leads on, although the list goes on. */
  async *pass(): AsyncGenerator<NewItems<Item>, PassEnd> {
    const { read, key } = this.options;
    [this.#previous, this.#emptyPages, this.#end] = [{ items: [] }, 0, 0];
    for (let position: PagePosition | undefined; ; ) {
      const page = await read(position);
      const items = page.items.filter((item) => this.keys.size < this.keys.add(key(item)).size);
      yield { items, page };
      // One that a page has twice counts once: the next page begins after so many, and may overlap.
      const next = this.#after(page, position, new Set(page.items.map(key)).size, items.length > 0);
      if (typeof next === 'string') return next;
      position = next;
    }
  }

  #after(page: ListPage<unknown>, position: PagePosition | undefined, length: number, hasNew: boolean) {
    const start = offsetOf(position, this.#end);
    this.#end = start + length;
    this.#pages++;
    // The platform ignores the position.
    if (start > 0 && !hasNew && this.#end > this.#furthest) return this.#inOtherWay();
    // Items that no longer match make later ones move up, before the next offset: step back.
    const announced = this.total;
    this.total = Math.min(announced, page.total ?? announced);
    this.#furthest = Math.max(this.#furthest, this.#end);
    const stepBack = Math.min(start, announced - this.total);
    if (stepBack > 0 && this.#by === 'offset') return { offset: start - stepBack };
    if (!hasMore(page, this.#end, this.options.limit)) return 'last page';
    this.#checkLength(page.total);
    return this.#goOn(page);
  }

  #goOn(page: ListPage<unknown>): PagePosition | PassEnd {
    const { nextToken } = this.#previous;
    this.#previous = page;
    this.#emptyPages = page.items.length > 0 ? 0 : this.#emptyPages + 1;
    if (this.#emptyPages === 0) return positionAfter(page, this.#by, this.#end) ?? { offset: this.#end };
    // An empty page does not advance the offset: only a new token does.
    if (page.nextToken && page.nextToken !== nextToken && this.#emptyPages < maxEmptyPages) {
      this.#by = 'token';
      return { token: page.nextToken };
    }
    return this.#by === 'token' || Number.isFinite(this.total) ? 'lost' : 'last page';
  }

  /** The position by token instead of by offset, or by offset instead of by token: tried once. */
  #inOtherWay(): PagePosition | 'lost' {
    if (this.#hasSwitched) return 'lost';
    this.#hasSwitched = true;
    this.#by = this.#by === 'offset' ? 'token' : 'offset';
    return positionAfter(this.#previous, this.#by, this.keys.size) ?? 'lost';
  }

  #checkLength(total: number | null | undefined): void {
    if (this.#pages <= maxPages && this.keys.size <= itemLimit(total)) return;
    const read = `${count(this.keys.size, 'item')} in ${count(this.#pages, 'page')}`;
    const why = total && Number.isFinite(total) ? `${read}; ${groupDigits(total)} were announced` : read;
    const { fix } = this.options;
    throw new FailedError('the list does not end: the platform keeps returning pages', { why, fix });
  }
}

/** The announced total may be that of one page, so up to ten times as many items are accepted. */
function itemLimit(total: number | null | undefined): number {
  if (!total || !Number.isFinite(total)) return maxItems.unannounced;
  return Math.min(maxItems.announced, Math.max(100, 10 * total));
}

/** Decided by the token or the total; without them, a full page suggests that there are more, not one that is more than full. */
function hasMore({ nextToken, total, items }: ListPage<unknown>, end: number, limit: number | undefined): boolean {
  return Boolean(nextToken) || (total ? end < total : items.length === limit);
}

function offsetOf(position: PagePosition | undefined, otherwise: number): number {
  return position && 'offset' in position ? position.offset : otherwise;
}

function positionAfter(
  { nextToken }: ListPage<unknown>,
  by: 'token' | 'offset',
  offset: number,
): PagePosition | undefined {
  if (by === 'offset') return { offset };
  return nextToken ? { token: nextToken } : undefined;
}
