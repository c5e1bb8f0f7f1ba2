import { NotFoundError } from '../../kernel/errors.ts';
import { PackedList, sortPacked } from '../../kernel/packed-list.ts';
import { boolean, integer, nullable, type ObjectOf, text } from '../../kernel/shape.ts';
import { formatRemotePath, remoteName } from '../transfer/remote-path.ts';
import {
  findEntry,
  type ListedEntry,
  type VolumeContext,
  type VolumePath,
  walkEntries,
  walkVolume,
} from './walk-volume.ts';

export const pathEntryFields = {
  path: text('where it is, as other commands take it; of a folder it ends in a slash'),
  name: text('the last part of the path'),
  isFolder: boolean('whether it is a folder'),
  bytes: nullable(integer('size; null for a folder, or if it is not known')),
  updatedAt: nullable(text('RFC 3339, UTC; null if it is not known')),
};
export type PathEntry = ObjectOf<typeof pathEntryFields>;

/** A folder's entries, or the file itself. A missing folder may list nothing, so its parent decides. */
export async function listPath(
  context: VolumeContext,
  at: VolumePath,
  recursive: boolean,
): Promise<PackedList<PathEntry>> {
  const entries = new PackedList<PathEntry>();
  try {
    const options = recursive ? {} : { entersFolder: () => false };
    for await (const entry of walkEntries(context, at, options)) entries.add(toPathEntry(entry, at));
  } catch (error) {
    if (!(error instanceof NotFoundError) || at.path === '/' || entries.length > 0) throw error;
  }
  if (entries.length > 0 || at.path === '/') return entries;
  const entry = await findEntry(context, at);
  if (!entry.isFolder) entries.add(toPathEntry(entry, at));
  return entries;
}

function toPathEntry({ path, isFolder, bytes, updatedAt }: ListedEntry, { volume }: VolumePath): PathEntry {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  return { path: formatRemotePath({ volume, path }), name, isFolder, bytes: isFolder ? null : bytes, updatedAt };
}

export const entryUsageFields = {
  name: text('name; ends in a slash for a folder'),
  files: integer('number of files'),
  bytes: integer('size in bytes'),
};
type EntryUsage = ObjectOf<typeof entryUsageFields>;

/** Counts the files and bytes below each entry of a folder, largest first. A file counts as its own entry. */
export async function diskUsage(
  context: VolumeContext,
  at: VolumePath,
  onFiles: (files: number) => void,
): Promise<{ entries: PackedList<EntryUsage>; total: EntryUsage }> {
  const { isFolder, bytes } = await findEntry(context, at);
  const total: EntryUsage = { name: at.path, files: 0, bytes: 0 };
  if (!isFolder) {
    const entry = { name: remoteName(at.path), files: 1, bytes };
    return { entries: PackedList.from([entry]), total: { ...entry, name: at.path } };
  }
  const usages = new PackedList<EntryUsage>();
  const folders = new Map<string, EntryUsage>();
  for await (const { path, bytes } of walkVolume(context, at)) {
    total.files += 1;
    total.bytes += bytes;
    onFiles(total.files);
    const end = path.indexOf('/');
    if (end < 0) usages.add({ name: path, files: 1, bytes });
    else addTo(folders, path.slice(0, end + 1), bytes);
  }
  return { entries: PackedList.from(sortPacked(usages.concat(folders.values()), (a, b) => b.bytes - a.bytes)), total };
}

function addTo(folders: Map<string, EntryUsage>, name: string, bytes: number): void {
  const folder = folders.get(name) ?? { name, files: 0, bytes: 0 };
  folders.set(name, folder);
  folder.files += 1;
  folder.bytes += bytes;
}
