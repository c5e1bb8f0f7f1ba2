import type { FileHandle } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { Result } from '../deflate/deflate-worker.mjs';
import type { Unread } from '../deflate/read-small-file.mjs';
import type { FileEntry } from '../files/entry.ts';
import type { KnownContent, PackedContent, PackingCache } from '../packing-cache/index.ts';

type SmallMember = PackedContent | Unread;

interface SmallFilesOptions {
  pool: DeflatePool;
  cache: PackingCache | undefined;
  buffers: BlockBuffers;
}

export interface PackedBatch {
  members: SmallMember[];
  used: ArrayBuffer[];
}

export async function packSmallFiles(batch: readonly FileEntry[], options: SmallFilesOptions): Promise<PackedBatch> {
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

export const blockBytes = 2 ** 20;
/** What deflate may refer to before a block. */
export const windowBytes = 2 ** 15;
/** A block, the window before it, and what deflate may add. */
const bufferBytes = windowBytes + blockBytes + 2 ** 14;

export class BlockBuffers {
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

export function hasCompressedExtension(path: string): boolean {
  return compressedExtensions.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

const sampleCount = 4;
const sampleBytes = 2 ** 15;

/** Compresses several samples: model weights, for example, do not shrink, but their text header does. */
export async function isCompressible(file: FileHandle, size: number): Promise<boolean> {
  const sample = Buffer.allocUnsafe(sampleBytes);
  let shrunk = 0;
  for (let index = 0; index < sampleCount; index++) {
    const { bytesRead } = await file.read(sample, 0, sampleBytes, Math.floor((size / sampleCount) * index));
    const content = sample.subarray(0, bytesRead);
    if (deflateRawSync(content).length < content.length * 0.95) shrunk++;
  }
  return shrunk >= sampleCount / 2;
}
