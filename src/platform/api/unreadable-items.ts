import type { Route } from '../contract/endpoint.ts';
import type { UnreadableItem } from '../contract/lists.ts';

/** List items that could not be read in full, by route and URL. A repeated call counts once. */
export class UnreadableItems {
  readonly #pagesByRoute = new Map<Route, Map<string, UnreadableItem[]>>();

  /** `url` identifies the page of a list. */
  record(route: Route, url: string, items: UnreadableItem[]): void {
    const pages = this.#pagesByRoute.get(route);
    if (items.length === 0) pages?.delete(url);
    else if (pages) pages.set(url, items);
    else this.#pagesByRoute.set(route, new Map([[url, items]]));
  }

  warnings(): string[] {
    return [...this.#pagesByRoute].flatMap(([route, pages]) => {
      const items = [...pages.values()].flat();
      if (items.length === 0) return [];
      const fields = [...new Set(items.map(({ field }) => (field ? `no ${field}` : 'of another form')))];
      const what = items.length === 1 ? '1 item' : `${items.length} items`;
      return [`${what} could not be read in full (${fields.join(', ')}): ${route}`];
    });
  }
}
