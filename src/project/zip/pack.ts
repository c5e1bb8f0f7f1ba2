/**
 * Entries to deflated data, in order: small files in batches that a thread reads and deflates by itself, large ones
 * read here, block by block, and deflated side by side.
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { openRegular } from '../../disk/index.ts';
import { ProjectError } from '../../errors.ts';
import type { FileEntry } from '../files/entry.ts';
import { throwIfAborted } from '../interruption.ts';
import { hasCompressedExtension, isCompressible } from './compressibility.ts';
import type { DeflatePool } from './deflate-pool.ts';
import type { FileResult, Result } from './deflate-worker.mjs';
import { OrderedQueue } from './ordered-queue.ts';
import { compressionMethods, type ZipEntry, zip64From } from './records.ts';
import type { ZipWriter } from './zip-writer.ts';

export interface PackOptions {
  writer: ZipWriter;
  pool: DeflatePool;
  signal?: AbortSignal | undefined;
  /** Called with the bytes read since the last time. */
  onRead(bytes: number): void;
}

/** In bytes: what is larger is deflated in blocks of this size. */
const block = 2 ** 20;
/** How far back deflate can point. */
const reach = 2 ** 15;
/** A block, what lies before it, and what deflate may add. */
const bufferBytes = reach + block + 2 ** 14;
const batchFiles = 16;
/** Batches and blocks under way: enough to keep the threads busy while one is written. */
const ahead = 6;

export async function packEntries(entries: readonly FileEntry[], packing: PackOptions): Promise<void> {
  const packer = new Packer(packing);
  for (const batch of batches(entries)) {
    throwIfAborted(packing.signal);
    await packer.add(batch);
  }
  await packer.drain();
}

const isLarge = (entry: FileEntry) => 'file' in entry.source && entry.size > block;

function* batches(entries: readonly FileEntry[]): Generator<FileEntry[]> {
  let batch: FileEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const full = batch.length === batchFiles || bytes + entry.size > block || isLarge(entry);
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

type Block = Pick<Result, 'buffer' | 'length'>;

class Packer {
  readonly #packing: PackOptions;
  readonly #order = new OrderedQueue(ahead);
  readonly #buffers: ArrayBuffer[] = [];

  constructor(packing: PackOptions) {
    this.#packing = packing;
  }

  async add(batch: FileEntry[]): Promise<void> {
    const [first] = batch;
    if (first && isLarge(first)) await this.#addLarge(first, this.#order);
    else await this.#addBatch(batch);
  }

  drain(): Promise<void> {
    return this.#order.drain();
  }

  #addBatch(batch: FileEntry[]): Promise<void> {
    const files = batch.map((entry) => ({ ...entry.source, store: hasCompressedExtension(entry.path) }));
    return this.#order.add(
      this.#packing.pool.run({ kind: 'files', files, buffer: this.#takeBuffer() }),
      async (result) => {
        let at = 0;
        for (const [index, entry] of batch.entries()) {
          const packed = result.files[index];
          at += packed ? await this.#writeSmall(entry, packed, result.buffer, at) : 0;
        }
        this.#giveBuffer(result.buffer);
      },
    );
  }

  /** Returns how many bytes of the buffer were this entry's. */
  async #writeSmall(entry: FileEntry, packed: FileResult, buffer: ArrayBuffer, at: number): Promise<number> {
    if ('error' in packed) throw unreadable(entry, packed.error);
    if ('grown' in packed) {
      const inPlace = new OrderedQueue(ahead);
      await this.#addLarge(entry, inPlace);
      await inPlace.drain();
      return 0;
    }
    const { size, compressed } = packed;
    const method = packed.deflated ? compressionMethods.deflated : compressionMethods.stored;
    const item = { ...blank(entry), method, size, compressed, crc32: packed.crc32 };
    await this.#packing.writer.writeEntry(item, new Uint8Array(buffer, at, compressed));
    this.#packing.onRead(size);
    return compressed;
  }

  async #addLarge(entry: FileEntry, order: OrderedQueue): Promise<void> {
    const file = await openRegular('file' in entry.source ? entry.source.file : '').catch((error) => {
      throw unreadable(entry, error);
    });
    try {
      await this.#addBlocks(entry, file, order);
    } finally {
      await file.close();
    }
  }

  async #addBlocks(entry: FileEntry, file: FileHandle, order: OrderedQueue): Promise<void> {
    const { writer, pool, signal, onRead } = this.#packing;
    // What is appended from now on is not ours: a log that is being written to has an end too.
    const { size } = await file.stat();
    const deflate = !hasCompressedExtension(entry.path) && (await isCompressible(file, size));
    const item = {
      ...blank(entry),
      method: deflate ? compressionMethods.deflated : compressionMethods.stored,
      wide: size >= zip64From,
    };
    await order.add(Promise.resolve(), () => writer.beginEntry(item));

    let before = new Uint8Array(0);
    for (let ended = size === 0; !ended; ) {
      throwIfAborted(signal);
      const buffer = this.#takeBuffer();
      new Uint8Array(buffer).set(before);
      const wanted = Math.min(block, size - item.size);
      const length = await readFully(file, new Uint8Array(buffer, before.length, wanted), item.size, entry);
      const content = new Uint8Array(buffer, before.length, length);
      item.crc32 = crc32(content, item.crc32);
      item.size += length;
      ended = length < wanted || item.size === size;

      const dictionary = before.length;
      before = deflate ? content.slice(-reach) : before;
      const job = { kind: 'block', dictionary, length, last: ended, buffer } as const;
      await order.add<Block>(deflate ? pool.run(job) : Promise.resolve(job), async (done) => {
        await writer.data(item, new Uint8Array(done.buffer, 0, done.length));
        this.#giveBuffer(done.buffer);
        onRead(length);
      });
    }
    await order.add(Promise.resolve(), () => writer.finishEntry(item));
  }

  #takeBuffer(): ArrayBuffer {
    return this.#buffers.pop() ?? new ArrayBuffer(bufferBytes);
  }

  #giveBuffer(buffer: ArrayBuffer): void {
    if (buffer.byteLength === bufferBytes) this.#buffers.push(buffer);
  }
}

const blank = ({ path, executable }: FileEntry): ZipEntry => ({
  path,
  executable,
  method: compressionMethods.stored,
  crc32: 0,
  size: 0,
  compressed: 0,
  offset: 0,
  zip64: false,
});

/** Less than was asked for only where the file ends. */
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
  const message = code === 'ENOENT' ? `${path} vanished while it was being packed` : `${path} cannot be read`;
  return new ProjectError(message, [{ severity: 'error', message, why }], { why });
}
