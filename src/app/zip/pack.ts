/** A thread reads and compresses a batch of small files; large ones are read here and compressed concurrently. */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { turn } from '../../kernel/clock.ts';
import { openRegular } from '../../kernel/disk/index.ts';
import { ProjectError, throwIfAborted } from '../../kernel/errors.ts';
import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { BlockTask, Result, Sums } from '../deflate/deflate-worker.mjs';
import type { FileEntry } from '../files/entry.ts';
import type { KnownContent, PackingCache } from '../packing-cache/index.ts';
import { newZipEntry, type ZipWriter } from './records.ts';
import {
  BlockBuffers,
  blockBytes,
  hasCompressedExtension,
  isCompressible,
  packSmallFiles,
  type SmallMember,
  windowBytes,
} from './small-files.ts';

export interface PackOptions {
  writer: ZipWriter;
  pool: DeflatePool;
  cache?: PackingCache | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the bytes read since the last call. */
  onRead(bytes: number): void;
}

/** As many as fill a block, unless they are tiny: a message to a thread costs as much as a file. */
const batchFiles = 256;
/** Pending batches and blocks: enough to keep the threads busy while one is written. */
const maxPending = 6;

export async function packEntries(entries: readonly FileEntry[], packing: PackOptions): Promise<void> {
  const packer = new Packer(packing);
  for (const batch of batches(entries)) {
    throwIfAborted(packing.signal);
    await packer.add(batch);
  }
  await packer.drain();
}

const isLarge = (entry: FileEntry) => 'file' in entry.source && entry.size > blockBytes;

function* batches(entries: readonly FileEntry[]): Generator<FileEntry[]> {
  let batch: FileEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const full = batch.length === batchFiles || bytes + entry.size > blockBytes || isLarge(entry);
    if (full && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += entry.size;
  }
  if (batch.length > 0) yield batch;
}

class Packer {
  readonly #order = new OrderedQueue(maxPending);
  readonly #buffers = new BlockBuffers();

  constructor(private readonly packing: PackOptions) {}

  async add(batch: FileEntry[]): Promise<void> {
    const [first] = batch;
    if (first && isLarge(first)) await this.#addLarge(first, this.#order);
    else await this.#addBatch(batch);
  }

  drain(): Promise<void> {
    return this.#order.drain();
  }

  #addBatch(batch: FileEntry[]): Promise<void> {
    const { pool, cache } = this.packing;
    const work = packSmallFiles(batch, { pool, cache, buffers: this.#buffers });
    return this.#order.add(work, async ({ members, used, remember }) => {
      let bytes = 0;
      for (const [index, entry] of batch.entries()) {
        const member = members[index];
        if (member && !this.#writeAtOnce(entry, member)) await this.#writeSmall(entry, member);
        if (member && 'data' in member) bytes += member.size;
      }
      this.packing.onRead(bytes);
      await remember?.();
      for (const buffer of used) this.#buffers.give(buffer);
    });
  }

  /** Most files: a promise for each would cost more than writing it. */
  #writeAtOnce(entry: FileEntry, member: SmallMember): boolean {
    if (!('data' in member)) return false;
    return this.packing.writer.writeAtOnce(newZipEntry(entry, member), member.data);
  }

  async #writeSmall(entry: FileEntry, member: SmallMember): Promise<void> {
    if ('error' in member) throw unreadable(entry, member.error);
    if ('grown' in member) {
      const queue = new OrderedQueue(maxPending);
      await this.#addLarge(entry, queue);
      return queue.drain();
    }
    await this.packing.writer.writeEntry(newZipEntry(entry, member), member.data);
  }

  #addLarge(entry: FileEntry, order: OrderedQueue): Promise<void> {
    return packLargeFile(entry, { ...this.packing, order, buffers: this.#buffers });
  }
}

interface LargeFileOptions extends PackOptions {
  order: OrderedQueue;
  buffers: BlockBuffers;
}

/** Adds a file in blocks, which are compressed concurrently and written in order. */
async function packLargeFile(entry: FileEntry, options: LargeFileOptions): Promise<void> {
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
  const item = newZipEntry(entry, { deflated: true });
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
  const item = newZipEntry(entry, { deflated });
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

interface PackedBlock {
  data: Uint8Array;
  /** Free once the data is written. */
  buffer: ArrayBuffer;
  key?: string;
  isNew?: boolean;
  /** Of the whole file, with the last block of one that is stored. */
  sums?: Sums | undefined;
}

async function storeBlock(summing: Promise<Result>): Promise<PackedBlock> {
  const { buffer, length, sums } = await summing;
  return { data: new Uint8Array(buffer, 0, length), buffer, sums };
}

/** A key is the hash of all that the result depends on; see `deflate-worker.mjs`. */
async function compressBlock(task: BlockTask, { pool, cache }: LargeFileOptions): Promise<PackedBlock> {
  if (!cache) return compress(task, pool);
  const { buffer, key = '' } = await pool.run({ ...task, kind: 'hash', salt: cache.salt });
  const data = cache.read(key);
  if (data) return { data, buffer, key };
  return { ...(await compress({ ...task, buffer }, pool)), key, isNew: true };
}

async function compress(task: BlockTask, pool: DeflatePool): Promise<PackedBlock> {
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

function unreadable({ path }: FileEntry, { code, message: why }: { code?: string; message: string }): ProjectError {
  const message = code === 'ENOENT' ? `${path} was deleted while it was packed` : `cannot read ${path}`;
  return new ProjectError(message, [{ severity: 'error', message, why }]);
}

/** Runs tasks concurrently and finishes them in their order. `maxPending` limits the memory. */
class OrderedQueue {
  readonly #pending: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly maxPending: number) {}

  /** Resolves when another task may be added. A failure ends all later tasks; it is thrown here or by `drain`. */
  async add<T>(work: Promise<T>, finish: (result: T) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => finish(await work));
    this.#pending.push(this.#last);
    // Both may fail long before they are awaited, which Node would report as unhandled.
    for (const promise of [work, this.#last]) promise.catch(() => {});
    while (this.#pending.length > this.maxPending) await this.#pending.shift();
  }

  async drain(): Promise<void> {
    await this.#last;
  }
}
