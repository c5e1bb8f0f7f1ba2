import type { Route } from '../contract/endpoint.ts';
import type { UnreadableItem } from '../contract/lists.ts';

/** Items of lists that could not be read in full, by the call that gave them. A call that is repeated counts once. */
export class UnreadableItems {
  readonly #found = new Map<Route, Map<string, UnreadableItem[]>>();

  /** `url` tells one page of a list from another. */
  record(route: Route, url: string, items: UnreadableItem[]): void {
    const pages = this.#found.get(route);
    if (items.length === 0) pages?.delete(url);
    else if (pages) pages.set(url, items);
    else this.#found.set(route, new Map([[url, items]]));
  }

  /** One sentence for each endpoint. */
  warnings(): string[] {
    return [...this.#found].flatMap(([route, pages]) => {
      const items = [...pages.values()].flat();
      if (items.length === 0) return [];
      const fields = [...new Set(items.map(({ field }) => (field ? `no ${field}` : 'not an object')))];
      const what = items.length === 1 ? '1 item' : `${items.length} items`;
      return [`${what} could not be read in full (${fields.join(', ')}): ${route}`];
    });
  }
}
