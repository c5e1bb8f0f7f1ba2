/**
 * Compresses files and writes them in order. A thread reads and compresses a batch of small files; large files are read
 * here in blocks, which are compressed concurrently.
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { openRegular } from '../../disk/index.ts';
import { ProjectError, throwIfAborted } from '../../errors.ts';
import type { FileEntry } from '../files/entry.ts';
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
  /** Called with the bytes read since the last call. */
  onRead(bytes: number): void;
}

/** Larger files are compressed in blocks of this size. */
const blockBytes = 2 ** 20;
const windowBytes = 2 ** 15;
/** A block, the window before it, and what deflate may add. */
const bufferBytes = windowBytes + blockBytes + 2 ** 14;
const batchFiles = 16;
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

type Block = Pick<Result, 'buffer' | 'length'>;

class Packer {
  readonly #order = new OrderedQueue(maxPending);
  readonly #buffers: ArrayBuffer[] = [];

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
    const files = batch.map((entry) => ({ ...entry.source, store: hasCompressedExtension(entry.path) }));
    return this.#order.add(
      this.packing.pool.run({ kind: 'files', files, buffer: this.#takeBuffer() }),
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

  /** Returns how many bytes of the buffer belong to this entry. */
  async #writeSmall(entry: FileEntry, packed: FileResult, buffer: ArrayBuffer, at: number): Promise<number> {
    if ('error' in packed) throw unreadable(entry, packed.error);
    if ('grown' in packed) {
      const queue = new OrderedQueue(maxPending);
      await this.#addLarge(entry, queue);
      await queue.drain();
      return 0;
    }
    const { size, compressed } = packed;
    const method = packed.deflated ? compressionMethods.deflated : compressionMethods.stored;
    const item = { ...newZipEntry(entry), method, size, compressed, crc32: packed.crc32 };
    await this.packing.writer.writeEntry(item, new Uint8Array(buffer, at, compressed));
    this.packing.onRead(size);
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
    const { writer, pool, signal, onRead } = this.packing;
    // Ignores what is appended from now on, to a log for example.
    const { size } = await file.stat();
    const deflate = !hasCompressedExtension(entry.path) && (await isCompressible(file, size));
    const item = {
      ...newZipEntry(entry),
      method: deflate ? compressionMethods.deflated : compressionMethods.stored,
      wide: size >= zip64From,
    };
    await order.add(Promise.resolve(), () => writer.beginEntry(item));

    let before = new Uint8Array(0);
    for (let ended = size === 0; !ended; ) {
      throwIfAborted(signal);
      const buffer = this.#takeBuffer();
      new Uint8Array(buffer).set(before);
      const wanted = Math.min(blockBytes, size - item.size);
      const length = await readFully(file, new Uint8Array(buffer, before.length, wanted), item.size, entry);
      const content = new Uint8Array(buffer, before.length, length);
      item.crc32 = crc32(content, item.crc32);
      item.size += length;
      ended = length < wanted || item.size === size;

      const dictionary = before.length;
      before = deflate ? content.slice(-windowBytes) : before;
      const task = { kind: 'block', dictionary, length, last: ended, buffer } as const;
      await order.add<Block>(deflate ? pool.run(task) : Promise.resolve(task), async (done) => {
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

const newZipEntry = ({ path, executable }: FileEntry): ZipEntry => ({
  path,
  executable,
  method: compressionMethods.stored,
  crc32: 0,
  size: 0,
  compressed: 0,
  offset: 0,
  zip64: false,
});

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
  return new ProjectError(message, [{ severity: 'error', message, why }], { why });
}
