/**
 * The order in which sorted folders are walked: the files of a folder before its subfolders, each by name. Names are
 * compared in UTF-16 code units, and never across a slash: `a/b` comes before `a-b/c`, although `-` comes before `/`.
 */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  const isFolder = one.includes('/', at);
  if (isFolder !== other.includes('/', at)) return isFolder ? 1 : -1;
  return unitAt(one, at) - unitAt(other, at);
}

/** The end of a name comes before any character. */
function unitAt(path: string, at: number): number {
  return at === path.length || path[at] === '/' ? -1 : path.charCodeAt(at);
}

/** The listings cannot be compared in order: see {@link assertAscending}. */
export class OrderError extends Error {}

/**
 * Passes paths on. Throws an OrderError if one does not come after the one before: a name is not valid UTF-8, or an entry
 * changed during the walk.
 */
export async function* assertAscending<Entry extends { path: string }>(
  entries: AsyncIterable<Entry>,
): AsyncGenerator<Entry> {
  let last: string | undefined;
  for await (const entry of entries) {
    if (last !== undefined && comparePaths(last, entry.path) >= 0) throw new OrderError();
    last = entry.path;
    yield entry;
  }
}
