import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { toDiskError } from '../../disk/index.ts';
import { FailedError } from '../../errors.ts';
import type { FoundEntry } from './found-entry.ts';
import type { PathFilter } from './path-filter.ts';

export interface LocalWalk {
  folder: string;
  /** What the paths of the files found begin with: empty, or a path that ends in a slash. */
  prefix: string;
  filter: PathFilter;
  /** False: links are left out. */
  follow: boolean;
  /** Whether a file of this name is a temporary one of ours, which is passed over. */
  isTemporary: (name: string) => boolean;
}

interface Folder {
  /** Relative to where the walk began; empty, or ending in a slash. */
  path: string;
  /** Where it is on the disk; differs from the path below a link. */
  real: string;
  /** The real folders from which links led here: to meet one of them again is a loop. */
  trail: string[];
}

/** How long the event loop may wait, in milliseconds. */
const breath = 20;

/**
 * The files below a folder, one folder after another, in the order of their names. What is no file is told of. Reading
 * folders synchronously is the fastest way by far; the event loop gets its turn often enough.
 */
export async function* walkLocal(walk: LocalWalk): AsyncGenerator<FoundEntry> {
  const waiting: Folder[] = [{ path: '', real: realpathSync(walk.folder), trail: [] }];
  for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
    const inner: Folder[] = [];
    try {
      yield* look(folder, inner, walk);
    } catch (cause) {
      yield { path: walk.prefix + (folder.path || '.'), failure: toDiskError(cause) };
    }
    waiting.push(...inner.reverse());
  }
}

async function* look(folder: Folder, inner: Folder[], walk: LocalWalk): AsyncGenerator<FoundEntry> {
  const entries: Dirent[] = readdirSync(join(walk.folder, folder.path), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.length === 0 && folder.path !== '') {
    yield { path: walk.prefix + folder.path, skipped: 'an empty folder: a volume cannot hold one' };
  }
  let lastTurn = performance.now();
  for (const entry of entries) {
    if (performance.now() - lastTurn > breath) {
      await turn();
      lastTurn = performance.now();
    }
    if (walk.isTemporary(entry.name)) continue;
    const path = folder.path + entry.name;
    if (entry.isDirectory()) {
      if (!walk.filter.excludesFolder(path))
        inner.push({ path: `${path}/`, real: join(folder.real, entry.name), trail: folder.trail });
    } else {
      const found = meet(path, entry.isSymbolicLink(), folder, walk);
      if (found && 'trail' in found) inner.push(found);
      else if (found) yield found;
    }
  }
}

/** What is at a path, behind links: a file, a folder to enter, or something to tell of. */
function meet(path: string, isLink: boolean, parent: Folder, walk: LocalWalk): FoundEntry | Folder | undefined {
  const { filter, prefix } = walk;
  const file = join(walk.folder, path);
  const shown = prefix + path;
  if (isLink && !walk.follow) {
    return filter.includes(path) ? { path: shown, skipped: 'a link, which --no-follow leaves out' } : undefined;
  }
  try {
    // Takes the size of the link's target, not of the link.
    const stats = statSync(file);
    if (stats.isDirectory()) {
      if (filter.excludesFolder(path)) return undefined;
      const real = realpathSync(file);
      const trail = [...parent.trail, parent.real];
      const isLoop = trail.some((before) => `${before}${sep}`.startsWith(`${real}${sep}`));
      return isLoop
        ? { path: shown, skipped: 'a link back to a folder it lies in' }
        : { path: `${path}/`, real, trail };
    }
    if (!filter.includes(path)) return undefined;
    if (!stats.isFile()) return { path: shown, skipped: 'no regular file: it has no content of its own' };
    return { path: shown, bytes: stats.size, modified: stats.mtimeMs, from: file };
  } catch (cause) {
    if (!filter.includes(path)) return undefined;
    return { path: shown, failure: unreachable(cause, path, isLink) };
  }
}

function unreachable(cause: unknown, path: string, isLink: boolean) {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path.includes('\ufffd')) return new FailedError('its name is not UTF-8', { cause });
  if (isLink && code === 'ENOENT') return new FailedError('it is a link that leads nowhere', { cause });
  return toDiskError(cause);
}
