/**
 * Every list of files that leaves this machine or comes from outside passes through here: taken as a map, one that has a
 * path twice would lose a file without a word. Paths are compared as the bytes that are sent. Of equal items one stays;
 * `repeated` is the path of two that contradict each other.
 */
export function distinctPaths<Item extends { path: string }>(items: readonly Item[]) {
  const byPath = new Map<string, Item>();
  for (const item of items) {
    const path = item.path.toWellFormed();
    const other = byPath.get(path);
    if (other && JSON.stringify(other) !== JSON.stringify(item)) return { items, repeated: path };
    byPath.set(path, item);
  }
  return { items: byPath.size === items.length ? items : [...byPath.values()], repeated: undefined };
}
