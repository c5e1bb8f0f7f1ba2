import { crc32 } from 'node:zlib';
import { openRegular } from '../../disk/index.ts';
import type { FileEntry } from '../../project/files/entry.ts';
import type { ZipEntry } from '../builds/index.ts';

/** How the files to be sent differ from those of the last build, by path. */
export interface FileChanges {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: number;
}

/**
 * Compares by size, and by checksum where the platform tells one; only files of equal size are read. A file whose
 * checksum is not known and whose size is the same counts as unchanged.
 */
export async function compareFiles(
  local: readonly FileEntry[],
  remote: readonly ZipEntry[],
  signal: AbortSignal,
): Promise<FileChanges> {
  const before = new Map(remote.map((entry) => [entry.path, entry]));
  const changes: FileChanges = { added: [], changed: [], removed: [], unchanged: 0 };
  for (const entry of local) {
    signal.throwIfAborted();
    const old = before.get(entry.path);
    before.delete(entry.path);
    if (!old) changes.added.push(entry.path);
    else if (await differs(entry, old)) changes.changed.push(entry.path);
    else changes.unchanged++;
  }
  changes.removed = [...before.keys()];
  return changes;
}

async function differs(entry: FileEntry, old: ZipEntry): Promise<boolean> {
  if (old.size !== undefined && old.size !== entry.size) return true;
  return old.crc32 !== undefined && old.crc32 !== (await checksum(entry));
}

const blockBytes = 1024 * 1024;

async function checksum({ source, size }: FileEntry): Promise<number> {
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
