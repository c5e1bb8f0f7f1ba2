import { opendirSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { turn, turnIsDue } from '../../kernel/clock.ts';
import {
  entriesByBytes,
  mayBeOtherBytes,
  type NamedEntry,
  temporaryFilter,
  toDiskError,
} from '../../kernel/disk/index.ts';
import { FailedError, type GantryError, systemCode } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { joinRemotePath, withTrailingSlash } from '../transfer/remote-path.ts';
import { findEntry, unreadEntriesError, type VolumeContext, type VolumePath, walkVolume } from '../volumes/index.ts';
import type { CopyEnd, CopyEndSource } from './copy-paths.ts';
import { createPathFilter, type PathFilter } from './path-filter.ts';
import type { CopyOptions, FoundEntry, FoundFile, UncopiedEntry } from './ports.ts';

export type FindContext = VolumeContext & Pick<Context, 'settings'>;

export type FindOptions = Pick<CopyOptions, 'include' | 'exclude' | 'follow'>;

/** A single folder stands for its contents; with several sources, each keeps its name. `name` is a new name. */
export async function* findSourceFiles(
  sources: CopyEndSource[],
  name: string | undefined,
  options: FindOptions,
  context: FindContext,
): AsyncGenerator<FoundEntry> {
  const filter = createPathFilter(options.include, options.exclude);
  for (const source of sources) {
    const prefix = source.isFolder && sources.length > 1 && source.name !== '' ? `${source.name}/` : '';
    if (source.isFolder) yield* inFolder(source.location, prefix, { ...options, filter }, context);
    else yield await singleFile(source, name ?? source.name, context);
  }
}

async function* inFolder(
  location: CopyEnd,
  prefix: string,
  { filter, follow }: FindOptions & { filter: PathFilter },
  context: FindContext,
): AsyncGenerator<FoundEntry> {
  if (location.kind === 'local') {
    const isTemporary = temporaryFilter(() => context.settings.folders.state);
    yield* walkLocal({ folder: location.path, prefix, filter, follow, isTemporary });
    return;
  }
  const at: VolumePath = { ...location.at, path: withTrailingSlash(location.at.path) };
  const obstacles: UncopiedEntry[] = [];
  // The copy is incomplete without them, and sync must not delete anything.
  const onUnreadableEntries = (folder: string, entries: number) =>
    void obstacles.push({
      path: prefix + (folder.slice(at.path.length) || '.'),
      failure: unreadEntriesError({ ...at, path: folder }, entries),
    });
  for await (const file of walkVolume(context, at, { onUnreadableEntries })) {
    const { path } = file;
    if (filter.includes(path)) yield { ...file, path: prefix + path, from: sourceOf(location, path) };
  }
  yield* obstacles;
}

export function sourceOf(folder: CopyEnd, path: string): FoundFile['from'] {
  if (folder.kind === 'local') return join(folder.path, path);
  return { ...folder.at, path: joinRemotePath(folder.at.path, path) };
}

async function singleFile({ location }: CopyEndSource, path: string, context: VolumeContext): Promise<FoundEntry> {
  if (location.kind === 'local') {
    const { size, mtimeMs } = await stat(location.path);
    return { path, bytes: size, modified: mtimeMs, from: location.path };
  }
  const { bytes, modified } = await findEntry(context, location.at);
  return { path, bytes, modified, from: location.at };
}

interface LocalWalk {
  folder: string;
  /** Prepended to the paths: empty, or a path with a trailing slash. */
  prefix: string;
  filter: PathFilter;
  follow: boolean;
  isTemporary: (name: string) => boolean;
}

interface LocalFolder {
  /** Relative to the root of the walk; empty, or with a trailing slash. */
  path: string;
  real: string;
  /** Real paths of the folders whose symbolic links led here: finding one again is a loop. */
  linkedFrom: string[];
}

/** Files sorted by name, and entries that are not copied. Folders are read synchronously: by far the fastest way. */
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
    const failure = new FailedError('the name is not valid UTF-8', { fix: 'rename or exclude it' });
    yield { path: walk.prefix + folder.path + bytes, failure };
  }
  if (names.length + unnamed.length === 0 && folder.path !== '') {
    yield { path: walk.prefix + folder.path, skipped: 'volumes cannot store empty folders' };
  }
  const isDue = turnIsDue();
  for (const name of names) {
    if (isDue()) await turn();
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
