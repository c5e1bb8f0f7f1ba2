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
 * What `ls` shows: a folder's entries, with `recursive` all that is below it, or the file itself. Throws NotFoundError
 * when there is nothing at the path. A platform may answer "no entries" for a folder that does not exist: then the
 * folder above knows.
 */
export async function listPath(calls: VolumeContext, at: VolumePath, recursive: boolean): Promise<ListedEntry[]> {
  const found = await (recursive ? collect(walkEntries(calls, at)) : listEntries(calls, at)).catch((error) => {
    if (error instanceof NotFoundError && at.path !== '/') return [];
    throw error;
  });
  if (found.length > 0 || at.path === '/') return found;
  const entry = await findEntry(calls, at);
  return entry.isFolder ? [] : [entry];
}

/** The platform's own words about an entry, and where it is, to be given to the next command. */
export function toPathEntry({ entry, path }: ListedEntry, { volume }: VolumePath): VolumeEntry & { path: string } {
  return { ...entry, path: formatRemotePath({ volume, path }) };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
