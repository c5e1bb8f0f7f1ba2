/** Lists that others wrote, of any length: spread into a call, some 120,000 items overflow the stack. */

/** Adds items to the end of a list. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}

/** The largest of any number of values; -Infinity without any. */
export function largestOf(values: Iterable<number>): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const value of values) largest = Math.max(largest, value);
  return largest;
}

/** The smallest of any number of values; Infinity without any. */
export function smallestOf(values: Iterable<number>): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const value of values) smallest = Math.min(smallest, value);
  return smallest;
}

/**
 * Every list of files that leaves this machine or comes from outside passes through here: taken as a map, one that has a
 * path twice would lose a file without a word. Paths are compared as the bytes that are sent. Of equal items one stays;
 * `repeated` is the path of two that contradict each other.
 */
export function distinctPaths<Item extends { path: string }>(
  items: readonly Item[],
): { items: readonly Item[]; repeated: string | undefined } {
  const known = new Map<string, Item>();
  for (const item of items) {
    const path = item.path.toWellFormed();
    const other = known.get(path);
    if (other && JSON.stringify(other) !== JSON.stringify(item)) return { items, repeated: path };
    known.set(path, item);
  }
  return { items: known.size === items.length ? items : [...known.values()], repeated: undefined };
}
