import { remoteName } from '../../transfer/remote-path.ts';
import { findEntry, type VolumeContext, type VolumePath, walkVolume } from './walk-volume.ts';

export interface EntryUsage {
  /** Of a folder it ends in a slash. */
  name: string;
  files: number;
  bytes: number;
}

/**
 * How many files, and how many bytes, each entry of a folder holds with all that is below it, the largest first. Of a
 * file, itself. Throws NotFoundError when there is nothing at the path.
 */
export async function diskUsage(
  calls: VolumeContext,
  at: VolumePath,
  onFiles: (sofar: number) => void,
): Promise<{ entries: EntryUsage[]; total: EntryUsage }> {
  const { isFolder, size } = await findEntry(calls, at);
  const total: EntryUsage = { name: at.path, files: 0, bytes: 0 };
  if (!isFolder) {
    const entry = { name: remoteName(at.path), files: 1, bytes: size ?? 0 };
    return { entries: [entry], total: { ...entry, name: at.path } };
  }
  const entries = new Map<string, EntryUsage>();
  for await (const file of walkVolume(calls, at)) {
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
