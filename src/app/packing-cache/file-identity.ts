import { lstatSync, statfsSync, statSync } from 'node:fs';
import type { FileStats } from '../files/entry.ts';

/**
 * What tells that a file has not changed: a new content changes the change time (ctime), whatever `touch -r` or an
 * unpacking program does to the modification time. Times are exact to 0.3 µs, far below the minute of `isSettled`.
 * Undefined if it is no regular file of this device.
 */
export function currentStats(path: string, device: number): FileStats | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.dev === device ? stats : undefined;
  } catch {
    return undefined;
  }
}

/**
 * File systems of Linux on a local disk, by the magic number of statfs: the kernel of this machine alone sets their change
 * times. Network file systems answer from caches, FAT has no change times, and in tmpfs a mapped file changes without one.
 */
const trustedFileSystems = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x794c7630, // overlayfs, in containers
]);

/** The device of a folder, if the change times of its files can be trusted. */
export function trustedDevice(folder: string): number | undefined {
  try {
    const isTrusted = process.platform === 'linux' && trustedFileSystems.has(statfsSync(folder).type);
    return isTrusted ? statSync(folder).dev : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A file that changed later than this before a packing is read again by the next one. A change right after we have read
 * it may get the same change time, whose steps are up to two seconds long; and a page that a program has mapped gets a
 * new one only after it was written back, which takes up to 35 seconds.
 */
const settledMs = 60_000;

export function isSettled(ctimeMs: number, startedAt: number): boolean {
  return ctimeMs < startedAt - settledMs;
}
