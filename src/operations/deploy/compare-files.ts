import { FileChecksums } from '../../project/file-checksums.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import type { BuildFile } from '../builds/index.ts';

/** Paths that differ between the local files and those of the last build. */
export interface FileChanges {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: number;
  /** Those of the unchanged files that were compared by CRC-32, because one side has no SHA-256. */
  byCrc32: number;
  /** Those of the unchanged files for which there is no checksum to compare. */
  unverified: number;
}

/**
 * Compares files with those of a build. Reads only files whose size does not decide, and only if the other side has a
 * checksum. Without one, a file of equal size counts as unchanged.
 */
export async function compareFiles(
  local: readonly FileEntry[],
  remote: readonly BuildFile[],
  signal: AbortSignal,
  checksums = new FileChecksums(),
): Promise<FileChanges> {
  const before = new Map(remote.map((file) => [file.path, file]));
  const isOpen = ({ path, size }: FileEntry) => {
    const old = before.get(path);
    return old && !isOther(old.size, size) && (old.crc32 !== undefined || old.sha256);
  };
  const open = local.filter(isOpen);
  const sums = await checksums.readAll(open, signal);
  const known = new Map(open.map(({ path }, index) => [path, sums[index]]));
  return compareListings(
    remote,
    local.map(({ path, size }) => ({ path, size, ...known.get(path) })),
  );
}

export const unchangedFiles = (unchanged: number): FileChanges => ({
  ...{ added: [], changed: [], removed: [] },
  ...{ unchanged, byCrc32: 0, unverified: 0 },
});

/** Compares by path, size, CRC-32 and SHA-256, as far as both lists have them. */
export function compareListings(before: readonly BuildFile[], now: readonly BuildFile[]): FileChanges {
  const missing = new Map(before.map((file) => [file.path, file]));
  const changes = unchangedFiles(0);
  for (const file of now) {
    const old = missing.get(file.path);
    missing.delete(file.path);
    if (!old) changes.added.push(file.path);
    else if (isOther(old.size, file.size) || isOther(old.crc32, file.crc32) || isOther(old.sha256, file.sha256)) {
      changes.changed.push(file.path);
    } else {
      changes.unchanged++;
      if (old.sha256 && file.sha256) continue;
      if (old.crc32 !== undefined && file.crc32 !== undefined) changes.byCrc32++;
      else changes.unverified++;
    }
  }
  changes.removed = [...missing.keys()];
  return changes;
}

/** False if one of them is not known. */
function isOther(one: number | string | undefined, other: number | string | undefined): boolean {
  return [one, other].every((value) => value !== undefined && value !== '') && one !== other;
}
