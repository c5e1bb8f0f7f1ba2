/** A thread reads and compresses a batch of small files; large ones are read here and compressed concurrently. */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { openRegular } from '../../kernel/disk/index.ts';
import { ProjectError, throwIfAborted } from '../../kernel/errors.ts';
import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { Result } from '../deflate/deflate-worker.mjs';
import type { Unread } from '../deflate/read-small-file.mjs';
import type { FileEntry } from '../files/entry.ts';
import type { KnownContent, PackedContent, PackingCache } from '../packing-cache/index.ts';
import { newZipEntry, type ZipWriter } from './records.ts';

export interface PackOptions {
  writer: ZipWriter;
  pool: DeflatePool;
  cache?: PackingCache | undefined;
  signal?: AbortSignal | undefined;
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
  await packer.order.drain();
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
  readonly order = new OrderedQueue();
  readonly #buffers = new BlockBuffers();

  constructor(private readonly packing: PackOptions) {}

  async add(batch: FileEntry[]): Promise<void> {
    const [first] = batch;
    if (first && isLarge(first)) await this.#addLarge(first, this.order);
    else await this.#addBatch(batch);
  }

  #addBatch(batch: FileEntry[]): Promise<void> {
    const { writer, pool, cache } = this.packing;
    const work = packSmallFiles(batch, { pool, cache, buffers: this.#buffers });
    return this.order.add(work, async ({ members, used }) => {
      let bytes = 0;
      for (const [index, entry] of batch.entries()) {
        const member = members[index];
        if (!member) continue;
        if (!('data' in member)) {
          await this.#addUnread(entry, member);
          continue;
        }
        // A promise for each of many small files would cost more than writing it.
        const item = newZipEntry(entry, member);
        if (!writer.writeAtOnce(item, member.data)) await writer.writeEntry(item, member.data);
        bytes += member.size;
        cache?.keep(entry, member);
      }
      this.packing.onRead(bytes);
      await cache?.flush();
      for (const buffer of used) this.#buffers.give(buffer);
    });
  }

  async #addUnread(entry: FileEntry, member: Unread): Promise<void> {
    if ('error' in member) throw unreadable(entry, member.error);
    const queue = new OrderedQueue();
    await this.#addLarge(entry, queue);
    await queue.drain();
  }

  #addLarge(entry: FileEntry, order: OrderedQueue): Promise<void> {
    return packLargeFile(entry, { ...this.packing, order, buffers: this.#buffers });
  }
}

interface LargeFileOptions extends PackOptions {
  order: OrderedQueue;
  buffers: BlockBuffers;
}

/** Adds a file in blocks, which are compressed concurrently and written in order. The cache keeps none of them. */
async function packLargeFile(entry: FileEntry, options: LargeFileOptions): Promise<void> {
  const file = await openRegular('file' in entry.source ? entry.source.file : '').catch((error) => {
    throw unreadable(entry, error);
  });
  try {
    await addBlocks(entry, file, options, options.cache?.recall(entry)?.packed === null);
  } finally {
    await file.close();
  }
}

async function addBlocks(
  entry: FileEntry,
  file: FileHandle,
  options: LargeFileOptions,
  isStored: boolean,
): Promise<void> {
  const { writer, pool, cache, signal, order, buffers, onRead } = options;
  // Ignores what is appended from now on, to a log for example.
  const { size } = await file.stat();
  const deflated = !isStored && !hasCompressedExtension(entry.path) && (await isCompressible(file, size));
  const item = newZipEntry(entry, { deflated });
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
    // The last block of a file that is stored comes with the sums of the whole.
    await order.add(deflated ? pool.run(task) : addSums(task), async (block) => {
      await writer.data(item, new Uint8Array(block.buffer, 0, block.length));
      Object.assign(item, block.sums);
      buffers.give(block.buffer);
      onRead(length);
    });
  }
  await order.add(Promise.resolve(), async () => {
    item.sha256 ||= hash.digest('hex');
    await writer.finishEntry(item);
    const { crc32, sha256, size } = item;
    cache?.learn(entry, { crc32, sha256, size, packed: deflated ? undefined : null });
  });
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

  /** Resolves when another task may be added. A failure ends all later tasks; it is thrown here or by `drain`. */
  async add<T>(work: Promise<T>, finish: (result: T) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => finish(await work));
    this.#pending.push(this.#last);
    // Both may fail long before they are awaited, which Node would report as unhandled.
    for (const promise of [work, this.#last]) promise.catch(() => {});
    while (this.#pending.length > maxPending) await this.#pending.shift();
  }

  async drain(): Promise<void> {
    await this.#last;
  }
}

type SmallMember = PackedContent | Unread;

async function packSmallFiles(
  batch: readonly FileEntry[],
  options: Pick<LargeFileOptions, 'pool' | 'cache' | 'buffers'>,
): Promise<{ members: SmallMember[]; used: ArrayBuffer[] }> {
  const { pool, cache, buffers } = options;
  const recalled = batch.map((entry) => cache?.recall(entry));
  const members = recalled.map((content) => fromCache(content, cache));
  const numbers = [...members.keys()].filter((index) => !members[index]);
  const unread = numbers.flatMap((index) => batch[index] ?? []);
  const used: ArrayBuffer[] = [];
  if (unread.length > 0) {
    const formerly = unread.map((entry) => cache?.formerly(entry));
    const result = await pool.run({
      kind: 'files',
      sources: unread.map(({ source }) => ('file' in source ? source.file : source)),
      store: numbers.map(
        (index) => hasCompressedExtension(batch[index]?.path ?? '') || recalled[index]?.packed === null,
      ),
      known: formerly.map((content) => content?.sha256 ?? ''),
      buffer: buffers.take(),
    });
    for (const [at, member] of membersOf(result).entries())
      members[numbers[at] ?? 0] = member === 'known' ? fromCache(formerly[at], cache) : member;
    used.push(result.buffer);
  }
  const whole = members.filter((member) => member !== undefined);
  // What is damaged is not in the cache any more.
  return whole.length < batch.length ? packSmallFiles(batch, options) : { members: whole, used };
}

function fromCache(content: KnownContent | undefined, cache: PackingCache | undefined): SmallMember | undefined {
  const data = content?.packed && cache?.read(content.packed);
  if (!content?.packed || !data) return undefined;
  const { packed: _, ...sums } = content;
  return { ...sums, deflated: data.length < sums.size, data };
}

/** What a thread has read, in order. */
function membersOf({ files, buffer }: Result): (SmallMember | 'known')[] {
  if (!files) throw new Error('the thread has packed no files');
  return files.map((file) => {
    if (file === 'known' || !('at' in file)) return file;
    const { at, length, ...facts } = file;
    return { ...facts, data: new Uint8Array(buffer, at, length) };
  });
}

const blockBytes = 2 ** 20;
/** What deflate may refer to before a block. */
const windowBytes = 2 ** 15;
/** A block, the window before it, and what deflate may add. */
const bufferBytes = windowBytes + blockBytes + 2 ** 14;

class BlockBuffers {
  readonly #free: ArrayBuffer[] = [];

  take(): ArrayBuffer {
    return this.#free.pop() ?? new ArrayBuffer(bufferBytes);
  }

  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength === bufferBytes) this.#free.push(buffer);
  }
}

const compressedExtensions = new Set(
  [
    'png jpg jpeg gif webp avif heic jxl jp2 ico',
    'mp4 m4v mov mkv webm avi mp3 m4a aac ogg opus flac wma',
    'zip gz tgz bz2 tbz2 xz txz zst lz4 br 7z rar lzma whl egg jar apk',
    'docx xlsx pptx odt ods epub woff woff2 npz parquet',
  ].flatMap((group) => group.split(' ')),
);

function hasCompressedExtension(path: string): boolean {
  return compressedExtensions.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

const sampleCount = 4;
const sampleBytes = 2 ** 15;

/** Compresses several samples: model weights, for example, do not shrink, but their text header does. */
async function isCompressible(file: FileHandle, size: number): Promise<boolean> {
  const sample = Buffer.allocUnsafe(sampleBytes);
  let shrunk = 0;
  for (let index = 0; index < sampleCount; index++) {
    const { bytesRead } = await file.read(sample, 0, sampleBytes, Math.floor((size / sampleCount) * index));
    const content = sample.subarray(0, bytesRead);
    if (deflateRawSync(content).length < content.length * 0.95) shrunk++;
  }
  return shrunk >= sampleCount / 2;
}
