import { FileChecksums } from '../../project/file-checksums.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import type { BuildFile } from '../builds/index.ts';

/** Paths that differ between the local files and those of the last build. */
export interface FileChanges {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: number;
  /** Those of the unchanged files for which the platform has no checksum. */
  unverified: number;
}

/**
 * Compares files by size, then by checksum if the platform has one. Needs the checksums of files of equal size only. Without a checksum,
 * a file of equal size counts as unchanged.
 */
export async function compareFiles(
  local: readonly FileEntry[],
  remote: readonly BuildFile[],
  signal: AbortSignal,
  checksums = new FileChecksums(),
): Promise<FileChanges> {
  const before = new Map(remote.map((entry) => [entry.path, entry]));
  const changes: FileChanges = { added: [], changed: [], removed: [], unchanged: 0, unverified: 0 };
  for (const entry of local) {
    signal.throwIfAborted();
    const old = before.get(entry.path);
    before.delete(entry.path);
    if (!old) changes.added.push(entry.path);
    else if (await differs(entry, old, checksums)) changes.changed.push(entry.path);
    else {
      changes.unchanged++;
      if (old.crc32 === undefined) changes.unverified++;
    }
  }
  changes.removed = [...before.keys()];
  return changes;
}

async function differs(entry: FileEntry, old: BuildFile, checksums: FileChecksums): Promise<boolean> {
  if (old.size !== undefined && old.size !== entry.size) return true;
  return old.crc32 !== undefined && old.crc32 !== (await checksums.read(entry));
}
