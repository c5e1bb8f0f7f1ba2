import { NotFoundError } from '../../kernel/errors.ts';
import { PackedList } from '../../kernel/packed-list.ts';
import { formatRemotePath } from '../transfer/remote-path.ts';
import type { ListedEntry } from './listed-entry.ts';
import { findEntry, type VolumeContext, type VolumePath, walkEntries } from './walk-volume.ts';

/** An entry with its path in the form that other commands accept. A folder ends in a slash, and has no size. */
export interface PathEntry {
  path: string;
  name: string;
  isFolder: boolean;
  bytes: number | null;
  updatedAt: string | null;
}

/**
 * The entries of a folder, with `recursive` including subfolders, or the file itself. Throws NotFoundError if the path does
 * not exist. The platform may return no entries for a missing folder, so the parent folder decides.
 */
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

function toPathEntry({ path, isFolder, size, modified }: ListedEntry, { volume }: VolumePath): PathEntry {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  return { path: formatRemotePath({ volume, path }), name, isFolder, bytes: size, updatedAt: modified };
}
