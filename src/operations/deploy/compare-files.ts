import { crc32 } from 'node:zlib';
import { openRegular } from '../../disk/index.ts';
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
 * Compares files by size, then by checksum if the platform has one. Reads only files of equal size. Without a checksum,
 * a file of equal size counts as unchanged.
 */
export async function compareFiles(
  local: readonly FileEntry[],
  remote: readonly BuildFile[],
  signal: AbortSignal,
): Promise<FileChanges> {
  const before = new Map(remote.map((entry) => [entry.path, entry]));
  const changes: FileChanges = { added: [], changed: [], removed: [], unchanged: 0, unverified: 0 };
  for (const entry of local) {
    signal.throwIfAborted();
    const old = before.get(entry.path);
    before.delete(entry.path);
    if (!old) changes.added.push(entry.path);
    else if (await differs(entry, old)) changes.changed.push(entry.path);
    else {
      changes.unchanged++;
      if (old.crc32 === undefined) changes.unverified++;
    }
  }
  changes.removed = [...before.keys()];
  return changes;
}

async function differs(entry: FileEntry, old: BuildFile): Promise<boolean> {
  if (old.size !== undefined && old.size !== entry.size) return true;
  return old.crc32 !== undefined && old.crc32 !== (await readChecksum(entry));
}

const blockBytes = 1024 * 1024;

/** The CRC-32 of a file's content, as in a zip archive. */
export async function readChecksum({ source, size }: FileEntry): Promise<number> {
  if ('text' in source) return crc32(source.text);
  const file = await openRegular(source.file);
  try {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, size) || 1);
    let sum = 0;
    for (;;) {
      const { bytesRead } = await file.read(block);
      if (bytesRead === 0) return sum;
      sum = crc32(block.subarray(0, bytesRead), sum);
    }
  } finally {
    await file.close();
  }
}
