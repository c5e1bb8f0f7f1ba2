import type { VolumeEntry } from '../../contract/volumes.ts';
import { NotFoundError } from '../../errors.ts';
import { formatRemotePath } from '../../transfer/remote-path.ts';
import {
  findEntry,
  type ListedEntry,
  listEntries,
  type VolumeContext,
  type VolumePath,
  walkEntries,
} from './walk-volume.ts';

/**
 * The entries of a folder, with `recursive` including subfolders, or the file itself. Throws NotFoundError if the path does
 * not exist. The platform may return no entries for a missing folder, so the parent folder decides.
 */
export async function listPath(context: VolumeContext, at: VolumePath, recursive: boolean): Promise<ListedEntry[]> {
  const found = await (recursive ? collect(walkEntries(context, at)) : listEntries(context, at)).catch((error) => {
    if (error instanceof NotFoundError && at.path !== '/') return [];
    throw error;
  });
  if (found.length > 0 || at.path === '/') return found;
  const entry = await findEntry(context, at);
  return entry.isFolder ? [] : [entry];
}

/** The platform's entry, and its path in the form that other commands accept. */
export function toPathEntry({ entry, path }: ListedEntry, { volume }: VolumePath): VolumeEntry & { path: string } {
  return { ...entry, path: formatRemotePath({ volume, path }) };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
