/**
 * Compresses files and writes them in order. A thread reads and compresses a batch of small files; large files are read
 * here in blocks, which are compressed concurrently. What a cache has is not compressed again.
 */
import { throwIfAborted } from '../../kernel/errors.ts';
import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { FileEntry } from '../files/entry.ts';
import type { PackingCache } from '../packing-cache/index.ts';
import { BlockBuffers, blockBytes } from './block-buffers.ts';
import { packLargeFile } from './large-file.ts';
import { OrderedQueue } from './ordered-queue.ts';
import { newZipEntry } from './records.ts';
import { packSmallFiles, type SmallMember } from './small-files.ts';
import { unreadable } from './unreadable.ts';
import type { ZipWriter } from './zip-writer.ts';

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
