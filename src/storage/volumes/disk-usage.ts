import { PackedList, sortPacked } from '../../kernel/packed-list.ts';
import { remoteName } from '../transfer/remote-path.ts';
import { findEntry, type VolumeContext, type VolumePath, walkVolume } from './walk-volume.ts';

export interface EntryUsage {
  /** Ends in a slash for a folder. */
  name: string;
  files: number;
  bytes: number;
}

/**
 * Counts the files and bytes below each entry of a folder, largest first. A file counts as its own entry. Throws
 * NotFoundError if the path does not exist.
 */
export async function diskUsage(
  context: VolumeContext,
  at: VolumePath,
  onFiles: (files: number) => void,
): Promise<{ entries: PackedList<EntryUsage>; total: EntryUsage }> {
  const { isFolder, size } = await findEntry(context, at);
  const total: EntryUsage = { name: at.path, files: 0, bytes: 0 };
  if (!isFolder) {
    const entry = { name: remoteName(at.path), files: 1, bytes: size ?? 0 };
    return { entries: PackedList.from([entry]), total: { ...entry, name: at.path } };
  }
  const own = new PackedList<EntryUsage>();
  const folders = new Map<string, EntryUsage>();
  for await (const { path, size: bytes } of walkVolume(context, at)) {
    total.files += 1;
    total.bytes += bytes ?? 0;
    onFiles(total.files);
    const end = path.indexOf('/');
    if (end < 0) own.add({ name: path, files: 1, bytes: bytes ?? 0 });
    else addTo(folders, path.slice(0, end + 1), bytes ?? 0);
  }
  return { entries: PackedList.from(sortPacked(own.concat(folders.values()), (a, b) => b.bytes - a.bytes)), total };
}

function addTo(folders: Map<string, EntryUsage>, name: string, bytes: number): void {
  const folder = folders.get(name) ?? { name, files: 0, bytes: 0 };
  folders.set(name, folder);
  folder.files += 1;
  folder.bytes += bytes;
}
