import { stripVTControlCharacters } from 'node:util';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { unreadableItems } from '../../contract/lists.ts';
import { listFolder, type VolumeEntry } from '../../contract/volumes.ts';
import { FailedError, NotFoundError } from '../../errors.ts';
import {
  formatRemotePath,
  joinRemotePath,
  type RemotePath,
  remoteName,
  remoteParent,
  toRemotePath,
  withTrailingSlash,
} from '../../transfer/remote-path.ts';

export type VolumeContext = Pick<Context, 'api' | 'project'>;

/** A path on the volume of one region. */
export interface VolumePath extends RemotePath {
  region: string;
}

/** A file or a folder as its folder lists it. */
export interface ListedEntry {
  /** Without a slash. Any text: it comes from the platform. */
  name: string;
  /** From the root of the volume; a folder's ends in a slash. */
  path: string;
  isFolder: boolean;
  /** Bytes; null for a folder, and where the platform does not tell it. */
  size: number | null;
  /** RFC 3339, UTC. */
  modified: string | null;
  /** What the platform says, untouched. */
  entry: VolumeEntry;
}

/** A file below a folder. `path` is relative to the folder, with forward slashes. */
export interface WalkedFile {
  path: string;
  /** Bytes; null where the platform does not tell it. */
  size: number | null;
  modified: string | null;
}

/** The current region: from the settings, else the platform's default (spec 4.11). */
export function volumeRegion({ region }: Context['settings']): string {
  return region.value ?? 'us-east-1';
}

/** What a user wrote, as a path on a volume: `default:/models`, `:/models` or `/models`. */
export function parseVolumePath(text: string, settings: Context['settings']): VolumePath {
  return { ...toRemotePath(text), region: volumeRegion(settings) };
}

/** `default:/models/a.bin`, as other commands take it. */
export const printed = formatRemotePath;

/** One level of a folder, in the platform's order. Of a folder that does not exist: a NotFoundError, or nothing. */
export async function listEntries(calls: VolumeContext, folder: VolumePath): Promise<ListedEntry[]> {
  return (await readFolder(calls, folder)).entries;
}

/** The same, and how many entries could not be read. */
async function readFolder(
  { api, project }: VolumeContext,
  folder: VolumePath,
): Promise<{ entries: ListedEntry[]; unread: number }> {
  const { volume, region } = folder;
  const dir = withTrailingSlash(folder.path);
  const reply = await api(listFolder, { project, volume, query: { region, dir } });
  const entries = reply.map((entry) => toListedEntry(dir, entry)).filter(({ name }) => name !== '' && name !== '.');
  return { entries, unread: unreadableItems(reply).length };
}

/** The file or folder at a path, as its folder lists it. Throws NotFoundError when there is none. */
export async function findEntry(calls: VolumeContext, at: VolumePath): Promise<ListedEntry> {
  if (at.path === '/') return { ...root, entry: { name: '/', is_folder: true } };
  const siblings = await listIfExists(calls, { ...at, path: remoteParent(at.path) });
  const called = siblings.filter(({ name }) => name === remoteName(at.path));
  const found = called.find(({ isFolder }) => isFolder || !at.path.endsWith('/'));
  if (found) return found;
  throw new NotFoundError(`${formatRemotePath(at)} does not exist`, {
    why: called.length > 0 ? 'it is a file, not a folder' : `nothing of that name is on the volume in ${at.region}`,
    fix: gantryCommand`ls ${formatRemotePath({ ...at, path: remoteParent(at.path) })}`,
  });
}

/**
 * One level of a folder; nothing if it does not exist. Throws where even the root cannot be listed: then it is the
 * project or the volume that does not exist.
 */
export async function listIfExists(calls: VolumeContext, folder: VolumePath): Promise<ListedEntry[]> {
  try {
    return await listEntries(calls, folder);
  } catch (error) {
    if (!(error instanceof NotFoundError) || folder.path === '/') throw error;
    await listEntries(calls, { ...folder, path: '/' });
    return [];
  }
}

/** Every file below a folder; the files of a folder come before those of its subfolders. */
export async function* walkVolume(
  context: VolumeContext,
  folder: VolumePath,
  onUnreadableEntries?: WalkOptions['onUnreadableEntries'],
): AsyncGenerator<WalkedFile> {
  const { length } = withTrailingSlash(folder.path);
  const options = onUnreadableEntries && { onUnreadableEntries };
  for await (const { path, isFolder, size, modified } of walkEntries(context, folder, options)) {
    if (!isFolder) yield { path: path.slice(length), size, modified };
  }
}

export interface WalkOptions {
  /** Says which folders are looked into; all if left out. */
  entersFolder?: (folder: ListedEntry) => boolean;
  /** Receives each folder that has entries which could not be read, and their number. */
  onUnreadableEntries?: (folder: string, entries: number) => void;
}

/**
 * Everything below a folder, one folder after another. Several listings are on their way at a time, but no more than a
 * few are kept: a volume may hold more than memory does.
 */
export async function* walkEntries(
  calls: VolumeContext,
  { path, ...place }: VolumePath,
  { entersFolder = () => true, onUnreadableEntries }: WalkOptions = {},
): AsyncGenerator<ListedEntry> {
  const waiting: { path: string; depth: number; reading?: ReturnType<typeof readFolder> }[] = [
    { path: withTrailingSlash(path), depth: 0 },
  ];
  for (let folder = waiting.at(-1); folder; folder = waiting.at(-1)) {
    for (const next of waiting.slice(-listedAhead)) {
      next.reading ??= readFolder(calls, { ...place, path: next.path });
      // The failure is thrown when the walk comes to this folder.
      next.reading.catch(() => {});
    }
    waiting.pop();
    const { entries, unread } = (await folder.reading) ?? { entries: [], unread: 0 };
    if (unread > 0) onUnreadableEntries?.(folder.path, unread);
    yield* entries;
    const folders = entries.filter((entry) => entry.isFolder && entersFolder(entry));
    const depth = folder.depth + 1;
    if (folders.some((inner) => depth > deepest || inner.path.length > longestPath)) throw endless(place, folder.path);
    for (const inner of folders.reverse()) waiting.push({ path: inner.path, depth });
  }
}

/** A name as it may stand in a line: of its own it must neither colour what follows nor begin another line. */
export function singleLine(name: string): string {
  return stripVTControlCharacters(name).replace(/[\r\n\t]+/g, ' ');
}

const listedAhead = 8;
/** Folders within folders. A listing that contains itself goes on until here. */
const deepest = 128;
/** Characters of a path. Keys of object storage have at most 1024 bytes. */
const longestPath = 4096;

function endless(place: Omit<VolumePath, 'path'>, path: string): FailedError {
  return new FailedError('the platform lists folders within folders without end', {
    why: `more than ${deepest} levels down: a folder seems to contain itself`,
    details: { path: formatRemotePath({ ...place, path }) },
  });
}

const root: Omit<ListedEntry, 'entry'> = { name: '', path: '/', isFolder: true, size: null, modified: null };

function toListedEntry(folder: string, entry: VolumeEntry): ListedEntry {
  const isFolder = entry.is_folder || entry.name.endsWith('/');
  const name = entry.name.replace(/\/$/, '');
  const path = joinRemotePath(folder, name);
  return {
    name,
    path: isFolder ? `${path}/` : path,
    isFolder,
    size: isFolder ? null : sizeOf(entry),
    modified: entry.last_modified ?? null,
    entry,
  };
}

/** A size that is not a number of bytes tells as little as none. */
function sizeOf({ size_bytes: bytes }: VolumeEntry): number | null {
  return Number.isSafeInteger(bytes) && Number(bytes) >= 0 ? Number(bytes) : null;
}
