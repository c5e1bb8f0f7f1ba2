import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { namesIn } from '../../disk/index.ts';
import { archiveFile, filesFolder, hashOf, recordNames, recordsFolder } from './archive-store.ts';
import { neededRecords } from './needed-builds.ts';

/** What is kept at most, over all apps. */
export const keepLimits = { bytes: 2 ** 30, ageMs: 90 * 86_400_000, builds: 300 };

/** A record whose archive is still being copied must not look like one that was left behind. */
const copyingMs = 3_600_000;

/**
 * Removes the oldest archives beyond the limits, and what killed processes left behind. What a rollback rests on stays: a
 * cache may be limited, a promise may not.
 */
export async function enforceLimits(context: Context): Promise<void> {
  const { state } = context.settings.folders;
  const now = context.now();
  const sizes = await sizesOf(state);
  const counted = new Set<string>();
  const beyond: string[] = [];
  let bytes = 0;
  for (const [index, { name, sha256, modified }] of (await newestRecords(state)).entries()) {
    const size = sizes.get(sha256);
    if (size === undefined && modified >= now - copyingMs) continue;
    if (!counted.has(sha256)) bytes += size ?? 0;
    counted.add(sha256);
    const isKept = size !== undefined && bytes <= keepLimits.bytes && index < keepLimits.builds;
    if (!isKept || modified < now - keepLimits.ageMs) beyond.push(name);
  }
  const needed = beyond.length > 0 ? await neededRecords(context) : new Set();
  for (const name of beyond) if (!needed.has(name)) await rm(join(recordsFolder(state), name), { force: true });
  await removeUnused(state, now);
}

/** Removes archives without a record, and unfinished copies. */
export async function removeUnused(state: string, now: number): Promise<void> {
  // In this order: a record is written before its archive, so that one of an archive that is listed exists by now.
  const names = namesIn(filesFolder(state));
  const used = new Set((await recordNames(state)).map(hashOf));
  for (const name of names) {
    const sha256 = /^([0-9a-f]{64})\.zip$/.exec(name)?.[1];
    if (sha256 !== undefined && used.has(sha256)) continue;
    const path = join(filesFolder(state), name);
    const isUnfinished = sha256 === undefined && ((await modifiedAt(path)) ?? 0) >= now - copyingMs;
    if (!isUnfinished) await rm(path, { force: true });
  }
}

interface StoredRecord {
  name: string;
  sha256: string;
  modified: number;
}

async function newestRecords(state: string): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const name of await recordNames(state)) {
    const modified = await modifiedAt(join(recordsFolder(state), name));
    if (modified !== undefined) records.push({ name, sha256: hashOf(name) ?? '', modified });
  }
  return records.sort((a, b) => b.modified - a.modified);
}

async function sizesOf(state: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of namesIn(filesFolder(state))) {
    const sha256 = name.replace(/\.zip$/, '');
    const found = await stat(archiveFile(state, sha256)).catch(() => undefined);
    if (found) sizes.set(sha256, found.size);
  }
  return sizes;
}

async function modifiedAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}
