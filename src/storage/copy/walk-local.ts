import { opendirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { turn } from '../../kernel/clock.ts';
import { entriesByBytes, mayBeOtherBytes, type NamedEntry, toDiskError } from '../../kernel/disk/index.ts';
import { FailedError, type GantryError, systemCode } from '../../kernel/errors.ts';
import type { FoundEntry, UncopiedEntry } from './found-entry.ts';
import type { PathFilter } from './path-filter.ts';

export interface LocalWalk {
  folder: string;
  /** Prepended to the paths: empty, or a path with a trailing slash. */
  prefix: string;
  filter: PathFilter;
  /** Follows symbolic links; otherwise they are skipped. */
  follow: boolean;
  /** Whether a name is that of a temporary file of gantry, which is ignored. */
  isTemporary: (name: string) => boolean;
}

interface LocalFolder {
  /** Relative to the root of the walk; empty, or with a trailing slash. */
  path: string;
  /** The path without symbolic links. */
  real: string;
  /** Real paths of the folders whose symbolic links led here: finding one again is a loop. */
  linkedFrom: string[];
}

/** Maximum time between event-loop turns, in ms. */
const maxBlockingMs = 20;

/**
 * Yields the files below a folder, sorted by name, and entries that are not copied. Folders are read synchronously, which
 * is by far the fastest way.
 */
export async function* walkLocal(walk: LocalWalk): AsyncGenerator<FoundEntry> {
  const waiting: LocalFolder[] = [{ path: '', real: realpathSync(walk.folder), linkedFrom: [] }];
  for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
    const inner: LocalFolder[] = [];
    try {
      yield* readFolder(folder, inner, walk);
    } catch (cause) {
      yield { path: walk.prefix + (folder.path || '.'), failure: failureOf(cause) };
    }
    for (const next of inner.reverse()) waiting.push(next);
  }
}

async function* readFolder(folder: LocalFolder, inner: LocalFolder[], walk: LocalWalk): AsyncGenerator<FoundEntry> {
  const listed = readNames(join(walk.folder, folder.path));
  const { names, unnamed } = listed;
  for (const { bytes } of unnamed.filter((entry) => isIncluded(entry, folder, walk))) {
    yield { path: walk.prefix + folder.path + bytes, failure: unnamedError() };
  }
  if (names.length + unnamed.length === 0 && folder.path !== '') {
    yield { path: walk.prefix + folder.path, skipped: 'volumes cannot store empty folders' };
  }
  let lastTurn = performance.now();
  for (const name of names) {
    if (performance.now() - lastTurn > maxBlockingMs) {
      await turn();
      lastTurn = performance.now();
    }
    const entry = entryNamed(name, listed, folder, walk);
    if (entry && 'linkedFrom' in entry) inner.push(entry);
    else if (entry) yield entry;
  }
}

function isIncluded(entry: NamedEntry, folder: LocalFolder, { filter }: LocalWalk): boolean {
  const path = folder.path + entry.name;
  return entry.isDirectory() ? !filter.excludesFolder(path) : filter.includes(path);
}

/** Undefined if it is excluded, or ours. */
function entryNamed(
  name: string,
  { folders, links }: Pick<ReturnType<typeof readNames>, 'folders' | 'links'>,
  folder: LocalFolder,
  walk: LocalWalk,
): FoundEntry | LocalFolder | undefined {
  if (walk.isTemporary(name)) return undefined;
  const path = folder.path + name;
  if (!folders.has(name)) return inspectEntry(path, links.has(name), folder, walk);
  if (walk.filter.excludesFolder(path)) return undefined;
  return { path: `${path}/`, real: join(folder.real, name), linkedFrom: folder.linkedFrom };
}

/** Sorted names. An object for each entry of a huge folder would take three times as much memory. */
function readNames(path: string) {
  // Under what is decoded of a name that is not valid UTF-8, nothing or another file is found.
  const unnamed: NamedEntry[] = [];
  const listed = { names: [] as string[], folders: new Set<string>(), links: new Set<string>(), unnamed };
  const take = (entry: NamedEntry) => {
    listed.names.push(entry.name);
    if (entry.isDirectory()) listed.folders.add(entry.name);
    else if (entry.isSymbolicLink()) listed.links.add(entry.name);
  };
  let isDoubtful = false;
  const folder = opendirSync(path, { bufferSize: entriesAtOnce });
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
      if (mayBeOtherBytes(entry.name)) isDoubtful = true;
      else take(entry);
    }
  } finally {
    folder.closeSync();
  }
  const others = isDoubtful ? entriesByBytes(path).filter(({ name }) => mayBeOtherBytes(name)) : [];
  for (const entry of others) entry.bytes === undefined ? take(entry) : unnamed.push(entry);
  listed.names.sort();
  return listed;
}

const entriesAtOnce = 1_000;

/** Follows symbolic links to a file, a folder to enter, or an entry that is not copied. */
function inspectEntry(
  path: string,
  isLink: boolean,
  parent: LocalFolder,
  walk: LocalWalk,
): FoundEntry | LocalFolder | undefined {
  const { filter, prefix } = walk;
  const file = join(walk.folder, path);
  const copiedPath = prefix + path;
  if (isLink && !walk.follow) {
    return filter.includes(path) ? { path: copiedPath, skipped: 'symbolic link (--no-follow)' } : undefined;
  }
  try {
    // The size of the link's target, not of the link.
    const stats = statSync(file);
    if (stats.isDirectory()) {
      if (filter.excludesFolder(path)) return undefined;
      const real = realpathSync(file);
      const linkedFrom = [...parent.linkedFrom, parent.real];
      const isLoop = linkedFrom.some((before) => `${before}${sep}`.startsWith(`${real}${sep}`));
      return isLoop
        ? { path: copiedPath, skipped: 'symbolic link to a parent folder' }
        : { path: `${path}/`, real, linkedFrom };
    }
    if (!filter.includes(path)) return undefined;
    if (!stats.isFile()) return { path: copiedPath, skipped: 'not a regular file' };
    return { path: copiedPath, bytes: stats.size, modified: stats.mtimeMs, from: file };
  } catch (cause) {
    if (!filter.includes(path)) return undefined;
    return { path: copiedPath, failure: failureOf(cause, isLink) };
  }
}

/** Whether an entry was there when its folder was read, and no longer when it was to be read itself. */
export function isDeletedMeanwhile(entry: UncopiedEntry): boolean {
  return 'failure' in entry && entry.failure instanceof DeletedError;
}

class DeletedError extends FailedError {}

function failureOf(cause: unknown, isLink = false): GantryError {
  if (systemCode(cause) !== 'ENOENT') return toDiskError(cause);
  if (isLink) return new FailedError('broken symbolic link', { cause });
  return new DeletedError('it was deleted meanwhile', { cause });
}

function unnamedError(): FailedError {
  return new FailedError('the name is not valid UTF-8', { fix: 'rename or exclude it' });
}
