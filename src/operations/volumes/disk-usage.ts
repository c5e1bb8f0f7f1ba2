import { remoteName } from '../../transfer/remote-path.ts';
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
): Promise<{ entries: EntryUsage[]; total: EntryUsage }> {
  const { isFolder, size } = await findEntry(context, at);
  const total: EntryUsage = { name: at.path, files: 0, bytes: 0 };
  if (!isFolder) {
    const entry = { name: remoteName(at.path), files: 1, bytes: size ?? 0 };
    return { entries: [entry], total: { ...entry, name: at.path } };
  }
  const entries = new Map<string, EntryUsage>();
  for await (const file of walkVolume(context, at)) {
    const [first = ''] = /^[^/]*\/?/.exec(file.path) ?? [];
    const entry = entries.get(first) ?? { name: first, files: 0, bytes: 0 };
    entries.set(first, entry);
    for (const sum of [entry, total]) {
      sum.files += 1;
      sum.bytes += file.size ?? 0;
    }
    onFiles(total.files);
  }
  return { entries: [...entries.values()].sort((a, b) => b.bytes - a.bytes), total };
}
