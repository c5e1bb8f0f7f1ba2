import type { VolumeEntry } from '../../platform/contract/volumes.ts';
import { joinRemotePath } from '../transfer/remote-path.ts';

export interface ListedEntry {
  /** Without a slash; untrusted text. */
  name: string;
  /** From the root of the volume; ends in a slash for a folder. */
  path: string;
  isFolder: boolean;
  /** In bytes; null for a folder. */
  size: number | null;
  /** RFC 3339, UTC. */
  modified: string | null;
}

/** The root of a volume, which no listing has. */
export const rootEntry: ListedEntry = {
  name: '',
  path: '/',
  isFolder: true,
  size: null,
  modified: null,
};

export function* toListedEntries(folder: string, entries: Iterable<VolumeEntry>): Generator<ListedEntry> {
  for (const entry of entries) {
    const listed = toListedEntry(folder, entry);
    if (listed.name !== '' && listed.name !== '.') yield listed;
  }
}

function toListedEntry(folder: string, entry: VolumeEntry): ListedEntry {
  const isFolder = entry.is_folder || entry.name.endsWith('/');
  const name = entry.name.replace(/\/$/, '');
  const path = joinRemotePath(folder, name);
  return {
    name,
    path: isFolder ? `${path}/` : path,
    isFolder,
    size: isFolder ? null : (entry.size_bytes ?? 0),
    modified: entry.last_modified ?? null,
  };
}
