import { NotFoundError } from '../../kernel/errors.ts';
import { PackedList } from '../../kernel/packed-list.ts';
import type { VolumeEntry } from '../../platform/contract/volumes.ts';
import { formatRemotePath } from '../transfer/remote-path.ts';
import type { ListedEntry } from './listed-entry.ts';
import { findEntry, type VolumeContext, type VolumePath, walkEntries } from './walk-volume.ts';

/** The platform's entry, and its path in the form that other commands accept. */
export type PathEntry = VolumeEntry & { path: string };

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

function toPathEntry({ entry, path }: ListedEntry, { volume }: VolumePath): PathEntry {
  return { ...entry, path: formatRemotePath({ volume, path }) };
}
