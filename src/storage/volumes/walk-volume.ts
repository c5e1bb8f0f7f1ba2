import { stripVTControlCharacters } from 'node:util';
import { closestName } from '../../kernel/closest-name.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { begun, once } from '../../kernel/once.ts';
import { count } from '../../kernel/output/format.ts';
import { byUnits, sortPacked } from '../../kernel/packed-list.ts';
import { defaultRegion } from '../../platform/config/setting-values.ts';
import type { Context } from '../../platform/context.ts';
import { toPathSegment } from '../../platform/contract/endpoint.ts';
import { unreadableItems } from '../../platform/contract/lists.ts';
import { listFolder, listVolumes, type VolumeEntry } from '../../platform/contract/volumes.ts';
import {
  defaultVolume,
  formatRemotePath,
  joinRemotePath,
  type RemotePath,
  remoteName,
  remoteParent,
  toRemotePath,
  withTrailingSlash,
} from '../transfer/remote-path.ts';
import { parseVolumes } from './parse-volumes.ts';

export type VolumeContext = Pick<Context, 'api' | 'project'>;

export interface VolumePath extends RemotePath {
  region: string;
}

/** A file below a folder. `path` is relative to the folder, with forward slashes. */
export interface WalkedFile {
  path: string;
  bytes: number;
  /** Time of the last change, in ms since 1970. */
  modified: number | undefined;
}

/** Its path is from the root of the volume, and ends in a slash for a folder. */
export interface ListedEntry extends WalkedFile {
  /** Without a slash; untrusted text. */
  name: string;
  isFolder: boolean;
  /** `modified` as it is listed: RFC 3339, UTC. */
  updatedAt: string | null;
}

/** The root of a volume, which no listing has. */
const root: ListedEntry = { name: '', path: '/', isFolder: true, bytes: 0, modified: undefined, updatedAt: null };

/** Parses RFC 3339 to ms since 1970; undefined for an invalid or zero time. */
function parseTimestamp(text: string | null): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) || time <= 0 ? undefined : time;
}

/** The current region: from the settings, else the platform's default. */
export function volumeRegion({ region }: Context['settings']): string {
  return region.value ?? defaultRegion;
}

export function parseVolumePath(text: string, settings: Context['settings']): VolumePath {
  return { ...toRemotePath(text), region: volumeRegion(settings) };
}

/** The entries of a folder by name, in UTF-16 code units as a walk of local files. A missing folder throws NotFoundError or gives no entries. */
export async function listEntries(context: VolumeContext, folder: VolumePath): Promise<ListedEntry[]> {
  return [...(await readFolder(context, folder)).entries];
}

async function readFolder(
  { api, project }: VolumeContext,
  folder: VolumePath,
): Promise<{ entries: Iterable<ListedEntry>; unreadable: number }> {
  const { volume, region } = folder;
  const dir = withTrailingSlash(folder.path);
  const reply = await api(listFolder, { project, volume, query: { region, dir } }).catch(async (error: unknown) => {
    throw dir === '/' && error instanceof NotFoundError
      ? await explainMissingVolume(api, project, volume, error)
      : error;
  });
  const entries = inOrder({ [Symbol.iterator]: () => toListedEntries(dir, reply) });
  return { entries, unreadable: unreadableItems(reply).length };
}

function* toListedEntries(folder: string, entries: Iterable<VolumeEntry>): Generator<ListedEntry> {
  for (const entry of entries) {
    const listed = toListedEntry(folder, entry);
    if (listed.name !== '' && listed.name !== '.') yield listed;
  }
}

function toListedEntry(folder: string, entry: VolumeEntry): ListedEntry {
  const isFolder = entry.is_folder || entry.name.endsWith('/');
  const name = entry.name.replace(/\/$/, '');
  const path = joinRemotePath(folder, isFolder ? `${name}/` : name);
  const updatedAt = entry.last_modified ?? null;
  return { name, path, isFolder, bytes: entry.size_bytes ?? 0, modified: parseTimestamp(updatedAt), updatedAt };
}

/** Finds a file or folder in the listing of its parent, to copy it to `target`. Throws NotFoundError if it does not exist. */
export async function findEntry(context: VolumeContext, at: VolumePath, target = '.'): Promise<ListedEntry> {
  if (at.path === '/') return root;
  const siblings = await listIfExists(context, { ...at, path: remoteParent(at.path) });
  const sameName = siblings.filter(({ name }) => name === remoteName(at.path));
  const entry = sameName.find(({ isFolder }) => isFolder || !at.path.endsWith('/'));
  if (entry) return entry;
  // Fails if it may be among entries that cannot be read.
  await listIfExists(context, { ...at, path: remoteParent(at.path) }, listCompletely);
  refuseMountPath(at);
  const written = formatRemotePath(at);
  const message =
    sameName.length > 0
      ? `${written} is a file, not a folder`
      : `${at.path} is not on volume ${at.volume} (${at.region})`;
  const parent = formatRemotePath({ ...at, path: remoteParent(at.path) });
  const name = remoteName(at.path);
  // Names may have such characters: only `rm`, which asks first, takes them for a pattern.
  const isPattern = /[*?[]/.test(name) && sameName.length === 0;
  const look = gantryCommand`ls ${parent}`;
  throw new NotFoundError(message, {
    why: isPattern ? 'patterns are for rm, --include and --exclude; here a path is one name' : undefined,
    fix: isPattern
      ? sentence`${look}; to copy what matches: ${gantryCommand`cp ${parent} ${target} --include ${name}`}`
      : look,
  });
}

/** Throws NotFoundError for the path that an app sees: on the volume itself, that folder is the root. */
export function refuseMountPath(at: VolumePath): void {
  const [mountPoint] = groupsOf(/^\/(global-)?persistent-storage(?=\/|$)/, at.path);
  if (mountPoint === undefined) return;
  const path = at.path.slice(mountPoint.length) || '/';
  throw new NotFoundError(`${at.path} is not on volume ${at.volume} (${at.region})`, {
    why: `apps see this volume as ${mountPoint}; on the volume itself, that folder is its root`,
    fix: `write ${formatRemotePath({ ...at, path })}`,
  });
}

/** The entries of a folder; none without it. Throws if the root cannot be listed either. */
export async function listIfExists(
  context: VolumeContext,
  folder: VolumePath,
  list = listEntries,
): Promise<ListedEntry[]> {
  try {
    return await list(context, folder);
  } catch (error) {
    if (!(error instanceof NotFoundError) || folder.path === '/') throw error;
    await listEntries(context, { ...folder, path: '/' });
    return [];
  }
}

/** The names of all entries of a folder: those of folders end in a slash. */
export async function listNames(context: VolumeContext, folder: VolumePath): Promise<Set<string>> {
  const entries = await listIfExists(context, folder, listCompletely);
  return new Set(entries.map(({ name, isFolder }) => (isFolder ? `${name}/` : name)));
}

/** {@link listEntries} that proves what is not there: throws an UnexpectedReplyError if some entries cannot be read. */
async function listCompletely(context: VolumeContext, folder: VolumePath): Promise<ListedEntry[]> {
  const { entries, unreadable } = await readFolder(context, folder);
  if (unreadable > 0) throw unreadEntriesError(folder, unreadable);
  return [...entries];
}

export function unreadEntriesError({ volume, region, path }: VolumePath, entries: number): UnexpectedReplyError {
  const url = `/v2/projects/{project}/volumes/${toPathSegment(volume, 'volume')}/ls`;
  return new UnexpectedReplyError(`${count(entries, 'entry', 'entries')} of ${path} could not be read`, {
    why: 'the platform sent them in an unknown format',
    fix: gantryCommand`api GET ${url} --query region=${region} --query dir=${withTrailingSlash(path)}`,
  });
}

/**
 * Throws NotFoundError if there is no such volume, or for a path below /persistent-storage, as apps see it. Does not
 * ask for the default volume, which may be huge.
 */
export async function checkVolume(context: VolumeContext, at: VolumePath): Promise<void> {
  refuseMountPath(at);
  const { volume, region } = at;
  if (volume !== defaultVolume) await listEntries(context, { volume, region, path: '/' });
}

/** Every file below a folder; the files of a folder come before those of its subfolders. */
export async function* walkVolume(
  context: VolumeContext,
  folder: VolumePath,
  options: Omit<WalkOptions, 'entersFolder'> = {},
): AsyncGenerator<WalkedFile> {
  const { length } = withTrailingSlash(folder.path);
  for await (const { path, isFolder, bytes, modified } of walkEntries(context, folder, options)) {
    if (!isFolder) yield { path: path.slice(length), bytes, modified };
  }
}

export interface WalkOptions {
  /** Which folders to enter; default: all. */
  entersFolder?: (folder: ListedEntry) => boolean;
  /** Called for each folder with unreadable entries, with their number. */
  onUnreadableEntries?: (folder: string, entries: number) => void;
  /** Takes a folder that the platform does not find for empty. Default: throws NotFoundError. */
  missingIsEmpty?: boolean;
}

/** Yields everything below a folder. Requests a few listings ahead, and keeps no more: a volume may be huge. */
export async function* walkEntries(
  context: VolumeContext,
  { path, ...volume }: VolumePath,
  { entersFolder = () => true, onUnreadableEntries, missingIsEmpty = false }: WalkOptions = {},
): AsyncGenerator<ListedEntry> {
  const folderAt = (path: string) => {
    const at = { ...volume, path };
    const read = once(() => {
      const reading = readFolder(context, at).catch((error: unknown) => {
        if (missingIsEmpty && error instanceof NotFoundError) return { entries: [], unreadable: 0 };
        throw error;
      });
      return begun(reading);
    });
    return { at, read };
  };
  const waiting = [folderAt(withTrailingSlash(path))];
  for (let folder = waiting.at(-1); folder; folder = waiting.at(-1)) {
    for (const next of waiting.slice(-maxListingsAhead)) next.read();
    waiting.pop();
    const { entries, unreadable } = await folder.read();
    if (unreadable > 0) onUnreadableEntries?.(folder.at.path, unreadable);
    const folders: ListedEntry[] = [];
    for (const entry of entries) {
      yield entry;
      if (entry.isFolder && entersFolder(entry)) folders.push(entry);
    }
    for (const inner of folders.reverse()) waiting.push(folderAt(inner.path));
  }
}

export function singleLine(name: string): string {
  return stripVTControlCharacters(name).replace(/[\r\n\t]+/g, ' ');
}

const maxListingsAhead = 8;

/** What a 404 for the root of a volume is about: a volume that the list lacks, or the error itself. */
async function explainMissingVolume(
  api: Context['api'],
  project: string,
  volume: string,
  error: NotFoundError,
): Promise<NotFoundError> {
  const reply = await api(listVolumes, { project }).catch(() => undefined);
  const names = [...new Set(parseVolumes(reply).flatMap(({ name }) => name ?? []))];
  if (names.length === 0 || names.includes(volume)) return error;
  const meant = closestName(volume, names);
  return new NotFoundError(`volume ${volume} not found${meant ? `: did you mean ${meant}?` : ''}`, {
    fix: gantryCommand`volumes list`,
    details: { volume, volumes: names },
    ...(meant
      ? { corrected: { typed: volume, meant, isGuess: true } }
      : { why: `volumes of ${project}: ${names.join(', ')}` }),
  });
}

/** Entries by name, which the platform does not promise. Not sorted if it has an order of files, and one of folders. */
function inOrder(entries: Iterable<ListedEntry>): Iterable<ListedEntry> {
  return isAscending(entries) ? entries : sortPacked(entries, (a, b) => byUnits(a.name, b.name));
}

function isAscending(entries: Iterable<ListedEntry>): boolean {
  const last = { file: '', folder: '' };
  for (const { name, isFolder } of entries) {
    const kind = isFolder ? 'folder' : 'file';
    if (name <= last[kind]) return false;
    last[kind] = name;
  }
  return true;
}
