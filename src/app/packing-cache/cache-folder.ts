import { createHash } from 'node:crypto';
import { rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkWritableByUserOnly, isNamedTemporary, makePrivateFolder, namesIn } from '../../kernel/disk/index.ts';
import { dayMs } from '../../kernel/durations.ts';

const maxBytes = 2 * 2 ** 30;
/** What is known of app folders that are gone would pile up. */
const maxDays = 90;

interface CacheFile {
  path: string;
  name: string;
  bytes: number;
  usedAt: number;
}

/** Below gantry's folder for caches. */
export function packingFolder(cache: string): string {
  return join(cache, 'packing');
}

export const indexPath = (folder: string, root: string): string => appFile(folder, root, '.files');
export const membersPath = (folder: string, root: string, name: string): string =>
  appFile(folder, root, `-${name}.members`);

function appFile(folder: string, root: string, ending: string): string {
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
  const files = listFiles(folder);
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

/** Removes the members of an app that are not `among` these. */
export function removeOtherMembers(folder: string, root: string, among: ReadonlySet<string>): void {
  const start = appFile(folder, root, '-');
  for (const { path } of listFiles(folder))
    if (path.startsWith(start) && !among.has(path)) rmSync(path, { force: true });
}

/** How large the cache may be: 2 GiB, on a disk with little space a tenth of that. */
export function maxCacheBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(maxBytes, Math.floor((bavail * bsize + totalOf(listFiles(folder))) / 10));
}

/** Removes what was not used for the longest time until the rest fits, and what a killed process has left. */
export function trimCache(folder: string, limit: number, now: number): void {
  const files = listFiles(folder).sort((a, b) => b.usedAt - a.usedAt);
  let bytes = 0;
  for (const file of files) {
    bytes += file.bytes;
    const daysKept = isNamedTemporary(file.name) ? 1 : maxDays;
    if (bytes > limit || file.usedAt < now - daysKept * dayMs) rmSync(file.path, { force: true });
  }
}

function listFiles(folder: string): CacheFile[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ path, name, bytes: stats.size, usedAt: stats.mtimeMs }] : [];
  });
}

const totalOf = (files: readonly CacheFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
