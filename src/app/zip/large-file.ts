import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { turn } from '../../kernel/clock.ts';
import { openRegular } from '../../kernel/disk/index.ts';
import { throwIfAborted } from '../../kernel/errors.ts';
import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { BlockTask, Result, Sums } from '../deflate/deflate-worker.mjs';
import type { FileEntry } from '../files/entry.ts';
import type { KnownContent, PackingCache } from '../packing-cache/index.ts';
import { type BlockBuffers, blockBytes, windowBytes } from './block-buffers.ts';
import { hasCompressedExtension, isCompressible } from './compressibility.ts';
import type { OrderedQueue } from './ordered-queue.ts';
import { newZipEntry, zip64From } from './records.ts';
import { unreadable } from './unreadable.ts';
import type { ZipWriter } from './zip-writer.ts';

interface LargeFileOptions {
  writer: ZipWriter;
  pool: DeflatePool;
  cache?: PackingCache | undefined;
  signal?: AbortSignal | undefined;
  order: OrderedQueue;
  buffers: BlockBuffers;
  onRead(bytes: number): void;
}

/** Adds a file in blocks, which are compressed concurrently and written in order. */
export async function packLargeFile(entry: FileEntry, options: LargeFileOptions): Promise<void> {
  const { cache } = options;
  const known = cache?.recall(entry);
  if (cache && known && (await hasAllBlocks(known, cache))) return addKnownBlocks(entry, known, { ...options, cache });

  const file = await openRegular('file' in entry.source ? entry.source.file : '').catch((error) => {
    throw unreadable(entry, error);
  });
  try {
    await addBlocks(entry, file, options, known?.keys.length === 0);
  } finally {
    await file.close();
  }
}

/** Looks at all of them first: what is written cannot be taken back. */
async function hasAllBlocks({ keys }: KnownContent, cache: PackingCache): Promise<boolean> {
  for (const key of keys) {
    if (!cache.read(key)) return false;
    await turn();
  }
  return keys.length > 0;
}

async function addKnownBlocks(
  entry: FileEntry,
  { keys, ...sums }: KnownContent,
  { writer, cache, signal, order, onRead }: LargeFileOptions & { cache: PackingCache },
): Promise<void> {
  const { size } = sums;
  const item = newZipEntry(entry, { deflated: true, zip64: size >= zip64From });
  await order.add(Promise.resolve(), () => writer.beginEntry(item));
  for (const [index, key] of keys.entries()) {
    throwIfAborted(signal);
    await order.add(Promise.resolve(), async () => {
      const block = cache.read(key);
      if (!block) throw new Error(`a block of ${entry.path} has disappeared from the packing cache`);
      await writer.data(item, block);
      onRead(Math.min(blockBytes, size - index * blockBytes));
    });
  }
  await order.add(Promise.resolve(), () => writer.finishEntry(Object.assign(item, sums)));
}

async function addBlocks(
  entry: FileEntry,
  file: FileHandle,
  options: LargeFileOptions,
  isStored: boolean,
): Promise<void> {
  const { writer, pool, cache, signal, order, buffers, onRead } = options;
  const stats = await file.stat();
  // Ignores what is appended from now on, to a log for example.
  const { size } = stats;
  const deflated = !isStored && !hasCompressedExtension(entry.path) && (await isCompressible(file, size));
  const item = newZipEntry(entry, { deflated, zip64: size >= zip64From });
  const keys: string[] = [];
  // Compressing takes many times as long as the checksums. Storing does not, and leaves them to a thread.
  const hash = createHash('sha256');
  const addSums = pool.startSums();
  await order.add(Promise.resolve(), () => writer.beginEntry(item));

  let before = new Uint8Array(0);
  for (let ended = size === 0; !ended; ) {
    throwIfAborted(signal);
    const buffer = buffers.take();
    new Uint8Array(buffer).set(before);
    const wanted = Math.min(blockBytes, size - item.size);
    const length = await readFully(file, new Uint8Array(buffer, before.length, wanted), item.size, entry);
    const content = new Uint8Array(buffer, before.length, length);
    item.size += length;
    ended = length < wanted || item.size === size;

    const dictionary = before.length;
    before = deflated ? content.slice(-windowBytes) : before;
    const task = { kind: 'block', dictionary, length, last: ended, buffer } as const;
    if (deflated) {
      item.crc32 = crc32(content, item.crc32);
      hash.update(content);
    }
    const work = deflated ? compressBlock(task, options) : storeBlock(addSums(task));
    await order.add(work, async (block) => {
      await writer.data(item, block.data);
      Object.assign(item, block.sums);
      if (block.key !== undefined) keys.push(block.key);
      if (block.key !== undefined && block.isNew) await cache?.add(block.key, block.data);
      buffers.give(block.buffer);
      onRead(length);
    });
  }
  await order.add(Promise.resolve(), async () => {
    item.sha256 ||= hash.digest('hex');
    await writer.finishEntry(item);
    if (!cache || !('file' in entry.source)) return;
    const { crc32, sha256 } = item;
    cache.learn(entry.source.file, stats, { crc32, sha256, keys: hasCompressedExtension(entry.path) ? null : keys });
  });
}

interface Block {
  data: Uint8Array;
  /** Free once the data is written. */
  buffer: ArrayBuffer;
  key?: string;
  isNew?: boolean;
  /** Of the whole file, with the last block of one that is stored. */
  sums?: Sums | undefined;
}

async function storeBlock(summing: Promise<Result>): Promise<Block> {
  const { buffer, length, sums } = await summing;
  return { data: new Uint8Array(buffer, 0, length), buffer, sums };
}

/** A key is the hash of all that the result depends on; see `deflate-worker.mjs`. */
async function compressBlock(task: BlockTask, { pool, cache }: LargeFileOptions): Promise<Block> {
  if (!cache) return compress(task, pool);
  const { buffer, key = '' } = await pool.run({ ...task, kind: 'hash', salt: cache.salt });
  const data = cache.read(key);
  if (data) return { data, buffer, key };
  return { ...(await compress({ ...task, buffer }, pool)), key, isNew: true };
}

async function compress(task: BlockTask, pool: DeflatePool): Promise<Block> {
  const { buffer, length } = await pool.run(task);
  return { data: new Uint8Array(buffer, 0, length), buffer };
}

/** Returns less than the length of `target` only at the end of the file. */
async function readFully(file: FileHandle, target: Uint8Array, position: number, entry: FileEntry): Promise<number> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done).catch((error) => {
      throw unreadable(entry, error);
    });
    if (bytesRead === 0) return done;
    done += bytesRead;
  }
  return target.length;
}
