/**
 * Small files are read by a thread, which compresses them at once, or with a cache only what that does not have. The
 * threads know nothing of the cache: they return hashes, and get the contents to compress in a second task.
 */

import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { FileResult, Packed, Result } from '../deflate/deflate-worker.mjs';
import type { FileEntry } from '../files/entry.ts';
import type { PackingCache } from '../packing-cache/index.ts';
import type { BlockBuffers } from './block-buffers.ts';
import { hasCompressedExtension } from './compressibility.ts';

/** How a small file goes into the archive, or why it does not. */
export type SmallMember = PackedFile | Exclude<FileResult, Packed>;

interface PackedFile extends Omit<Packed, 'at' | 'compressed'> {
  data: Uint8Array;
  /** Compressed just now. */
  isNew?: boolean;
}

interface SmallFilesOptions {
  pool: DeflatePool;
  cache: PackingCache | undefined;
  buffers: BlockBuffers;
}

export interface PackedBatch {
  /** In the order of the batch. */
  members: SmallMember[];
  /** Buffers that hold their data. */
  used: ArrayBuffer[];
}

export async function packSmallFiles(
  batch: readonly FileEntry[],
  { pool, cache, buffers }: SmallFilesOptions,
): Promise<PackedBatch> {
  const known = batch.map((entry) => cache && readKnown(entry, cache));
  const unknown = batch.filter((_, index) => !known[index]);
  if (unknown.length === 0) return { members: known.filter((member) => member !== undefined), used: [] };

  const files = unknown.map((entry) => ({ ...entry.source, store: isStored(entry, cache) }));
  const read = await pool.run({ kind: 'files', files, salt: cache?.salt, buffer: buffers.take() });
  const found = membersOf(read);
  const compressed = cache ? await compressNew(found, { pool, cache, buffers }) : [];
  const members = batch.map((_, index) => known[index] ?? (found.shift() as SmallMember));
  return { members, used: [read.buffer, ...compressed] };
}

/** Adds to the cache what was read and compressed. */
export async function rememberSmallFile(entry: FileEntry, member: PackedFile, cache: PackingCache): Promise<void> {
  const { identity, key, isNew, deflated, data, size, crc32, sha256 } = member;
  if (identity === undefined || !('file' in entry.source)) return;
  if (key !== undefined && isNew) await cache.add(key, deflated ? data : noData);
  const keys = key === undefined ? null : deflated ? [key] : [];
  cache.learn(entry.source.file, identity, { size, crc32, sha256, keys });
}

/** Content that does not shrink. */
const noData = new Uint8Array(0);

/** A compressed file that has not changed. */
function readKnown(entry: FileEntry, cache: PackingCache): PackedFile | undefined {
  const known = cache.recall(entry);
  const [key] = known?.keys ?? [];
  const data = key === undefined ? undefined : cache.read(key);
  return known && data && { size: known.size, crc32: known.crc32, sha256: known.sha256, deflated: true, data };
}

const isStored = (entry: FileEntry, cache: PackingCache | undefined) =>
  hasCompressedExtension(entry.path) || cache?.recall(entry)?.keys.length === 0;

function membersOf({ files, buffer }: Result): SmallMember[] {
  return files.map((file) => {
    if (!('size' in file)) return file;
    const { at, compressed, ...packed } = file;
    return { ...packed, data: new Uint8Array(buffer, at, compressed) };
  });
}

/** Replaces contents by what they compress to, from the cache or by a thread. Returns the buffers in use. */
async function compressNew(
  members: SmallMember[],
  { pool, cache, buffers }: SmallFilesOptions & { cache: PackingCache },
): Promise<ArrayBuffer[]> {
  const missing: PackedFile[] = [];
  for (const member of members) {
    if (!('data' in member) || member.key === undefined) continue;
    const data = cache.read(member.key);
    if (data) useCompressed(member, data);
    else missing.push(member);
  }
  if (missing.length === 0) return [];

  const lengths = missing.map(({ data }) => data.length);
  const buffer = buffers.take(lengths.reduce((sum, length) => sum + length, 0));
  copyAll(missing, new Uint8Array(buffer));
  const done = await pool.run({ kind: 'contents', lengths, buffer });
  for (const [index, result] of membersOf(done).entries()) {
    const member = missing[index];
    if (!member || !('data' in result)) continue;
    member.isNew = true;
    useCompressed(member, result.deflated ? result.data : noData);
  }
  return [done.buffer];
}

function useCompressed(member: PackedFile, data: Uint8Array): void {
  if (data.length > 0) Object.assign(member, { deflated: true, data });
}

function copyAll(members: readonly PackedFile[], target: Uint8Array): void {
  let at = 0;
  for (const { data } of members) {
    target.set(data, at);
    at += data.length;
  }
}
