import { createHash } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkWritableByUserOnly,
  type KeptFile,
  keptFiles,
  makePrivateFolder,
  trimFiles,
} from '../../kernel/disk/index.ts';

const maxBytes = 2 * 2 ** 30;
/** What is known of app folders that are gone would pile up. */
const maxDays = 90;

/** Below gantry's folder for caches. */
export function packingFolder(cache: string): string {
  return join(cache, 'packing');
}

/** The file for an app folder: the index of its files, or what they compress to. */
export function appFile(folder: string, root: string, ending: '.files' | '.members'): string {
  return join(folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}${ending}`);
}

export interface PackingUsage {
  folder: string;
  files: number;
  bytes: number;
  /** When one of the files was used last, in ms since 1970. */
  usedAt: number;
}

/** `cache`: gantry's folder for caches. */
export function packingUsage(cache: string): PackingUsage {
  const folder = packingFolder(cache);
  const files = keptFiles(folder);
  const usedAt = files.reduce((last, file) => Math.max(last, file.usedAt), 0);
  return { folder, files: files.length, bytes: totalOf(files), usedAt };
}

/** Removes everything. Returns what there was. Throws system errors. */
export function clearPackingCache(cache: string): PackingUsage {
  const before = packingUsage(cache);
  rmSync(before.folder, { recursive: true, force: true });
  return before;
}

/** Creates it. Throws if another user could have written there: their content would be deployed. */
export function openFolder(cache: string): string {
  const folder = packingFolder(cache);
  makePrivateFolder(folder);
  checkWritableByUserOnly(folder);
  return folder;
}

/** How large the cache may be: 2 GiB, on a disk with little space a tenth of that. */
export function maxCacheBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(maxBytes, Math.floor((bavail * bsize + totalOf(keptFiles(folder))) / 10));
}

export function trimCache(folder: string, limit: number, now: number): void {
  trimFiles(keptFiles(folder), { bytes: limit, days: maxDays }, now);
}

const totalOf = (files: readonly KeptFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
