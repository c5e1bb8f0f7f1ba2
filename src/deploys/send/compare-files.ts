import { FileChecksums } from '../../app/file-checksums.ts';
import type { FileEntry } from '../../app/files/entry.ts';
import { type BuildFile, compareListings, type FileChanges } from '../builds/index.ts';

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
    const isSameSize = old?.size === undefined || old.size === size;
    return old && isSameSize && (old.crc32 !== undefined || old.sha256);
  };
  const open = local.filter(isOpen);
  const sums = await checksums.readAll(open, signal);
  const known = new Map(open.map(({ path }, index) => [path, sums[index]]));
  return compareListings(
    remote,
    local.map(({ path, size }) => ({ path, size, ...known.get(path) })),
  );
}
