/** The threads know nothing of the cache: they return hashes, and get what to compress in a second task. */

import type { FileHandle } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { columnCount, columns, forms, type PackedFiles } from '../deflate/batch.mjs';
import type { DeflatePool } from '../deflate/deflate-pool.ts';
import type { Result } from '../deflate/deflate-worker.mjs';
import type { Unread } from '../deflate/read-small-file.mjs';
import type { FileEntry } from '../files/entry.ts';
import type { KnownContent, PackingCache } from '../packing-cache/index.ts';

/** How a small file goes into the archive, or why it does not. */
export type SmallMember = PackedFile | Unread;

interface PackedFile {
  size: number;
  crc32: number;
  sha256: string;
  deflated: boolean;
  data: Uint8Array;
}

interface SmallFilesOptions {
  pool: DeflatePool;
  cache: PackingCache | undefined;
  buffers: BlockBuffers;
}

export interface PackedBatch {
  /** In the order of the batch. */
  members: SmallMember[];
  used: ArrayBuffer[];
  /** Adds to the cache what was read and compressed. */
  remember?: () => Promise<void>;
}

export async function packSmallFiles(batch: readonly FileEntry[], options: SmallFilesOptions): Promise<PackedBatch> {
  const { pool, cache, buffers } = options;
  const recalled = batch.map((entry) => cache?.recall(entry));
  const recalledMembers = recalled.map((content) => content && cache && readKnown(content, cache));
  const isUnknown = (_: unknown, index: number) => !recalledMembers[index];
  const unknown = batch.filter(isUnknown);
  if (unknown.length === 0) return { members: recalledMembers.filter((member) => member !== undefined), used: [] };

  const result = await pool.run({
    kind: 'files',
    sources: unknown.map(({ source }) => ('file' in source ? source.file : source)),
    store: batch.map((entry, index) => isStored(entry, recalled[index])).filter(isUnknown),
    cache: cache && { salt: cache.salt, hasContents: cache.hasContents },
    buffer: buffers.take(),
  });
  const read = new ReadFiles(result);
  const compressed = cache ? await compressNew(read, { ...options, cache }) : [];
  const members = unknown.length < batch.length ? mergeKnown(recalledMembers, read.members) : read.members;
  const used = [result.buffer, ...compressed];
  return cache ? { members, used, remember: () => rememberFiles(unknown, read, cache) } : { members, used };
}

function mergeKnown(known: readonly (SmallMember | undefined)[], read: readonly SmallMember[]): SmallMember[] {
  let at = 0;
  return known.map((member) => member ?? (read[at++] as SmallMember));
}

class ReadFiles {
  readonly members: SmallMember[];
  /** Under which the cache keeps members, by their number. Those of `toAdd` are not there yet. */
  readonly keys: ReadonlyMap<number, string>;
  readonly toAdd = new Set<number>();
  readonly #files: PackedFiles;
  readonly #data: Uint8Array;

  constructor({ files, buffer, length }: Result) {
    if (!files) throw new Error('the thread has packed no files');
    this.#files = files;
    this.#data = new Uint8Array(buffer, 0, length);
    this.keys = files.keys;
    this.members = Array.from({ length: files.facts.length / columnCount }, (_, index) => this.#member(index));
    for (const index of files.keys.keys()) if (!this.isContent(index)) this.toAdd.add(index);
  }

  /** Whether it is to be compressed, unless the cache has it. */
  isContent(index: number): boolean {
    return this.#fact(index, columns.form) === forms.content;
  }

  get tiny(): { key: string; data: Uint8Array } | undefined {
    const { tiny } = this.#files;
    return tiny && { key: tiny.key, data: this.#data.subarray(0, tiny.length) };
  }

  /** Where it is in the data of tiny files, if it is one. */
  part(index: number): { at: number; length: number; deflated: boolean } | undefined {
    const at = this.#fact(index, columns.at);
    const length = this.#fact(index, columns.length);
    const isTiny = at + length <= (this.#files.tiny?.length ?? 0);
    return isTiny ? { at, length, deflated: this.#fact(index, columns.form) === forms.deflated } : undefined;
  }

  stats(index: number) {
    const fact = (column: number) => this.#fact(index, column);
    const dev = fact(columns.dev);
    const ino = fact(columns.ino);
    const size = fact(columns.size);
    return { dev, ino, size, mtimeMs: fact(columns.mtimeMs), ctimeMs: fact(columns.ctimeMs) };
  }

  #member(index: number): SmallMember {
    const at = this.#fact(index, columns.at);
    return (
      this.#files.unread.get(index) ?? {
        size: this.#fact(index, columns.size),
        crc32: this.#fact(index, columns.crc32),
        sha256: this.#files.sha256.slice(index * 64, index * 64 + 64),
        deflated: this.#fact(index, columns.form) === forms.deflated,
        data: this.#data.subarray(at, at + this.#fact(index, columns.length)),
      }
    );
  }

  #fact(index: number, column: number): number {
    return this.#files.facts[index * columnCount + column] ?? 0;
  }
}

/** A file that has not changed. */
function readKnown({ size, crc32, sha256, ...known }: KnownContent, cache: PackingCache): PackedFile | undefined {
  const { part } = known;
  const [key] = known.keys;
  if (key === undefined) return undefined;
  if (!part) {
    const data = cache.read(key);
    return data && { size, crc32, sha256, deflated: true, data };
  }
  const data = cache.readBlock(key)?.subarray(part.at, part.at + part.length);
  return data && { size, crc32, sha256, deflated: part.deflated, data };
}

const isStored = ({ path }: FileEntry, known: KnownContent | undefined) =>
  hasCompressedExtension(path) || known?.keys.length === 0;

/** Replaces contents by what they compress to, from the cache or by a thread. Returns the buffers in use. */
async function compressNew(
  read: ReadFiles,
  { pool, cache, buffers }: SmallFilesOptions & { cache: PackingCache },
): Promise<ArrayBuffer[]> {
  const missing: PackedFile[] = [];
  for (const [index, key] of read.keys) {
    const member = read.members[index];
    if (!member || !('data' in member) || !read.isContent(index)) continue;
    const data = cache.read(key);
    if (data) useCompressed(member, data);
    else {
      missing.push(member);
      read.toAdd.add(index);
    }
  }
  if (missing.length === 0) return [];

  const lengths = missing.map(({ data }) => data.length);
  const buffer = buffers.take(lengths.reduce((sum, length) => sum + length, 0));
  copyAll(missing, new Uint8Array(buffer));
  const done = await pool.run({ kind: 'contents', lengths, buffer });
  for (const [index, result] of new ReadFiles(done).members.entries()) {
    const member = missing[index];
    if (member && 'data' in result) useCompressed(member, result.deflated ? result.data : noData);
  }
  return [done.buffer];
}

/** Content that does not shrink. */
const noData = new Uint8Array(0);

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

async function rememberFiles(batch: readonly FileEntry[], read: ReadFiles, cache: PackingCache): Promise<void> {
  const tinyKeys = await rememberTiny(read, cache);
  for (const [index, { source }] of batch.entries()) {
    const member = read.members[index];
    if (!member || !('data' in member) || !('file' in source)) continue;
    const { crc32, sha256, deflated, data } = member;
    const key = read.keys.get(index);
    if (key !== undefined && read.toAdd.has(index)) await cache.add(key, deflated ? data : noData);
    const part = read.part(index);
    const keys = part ? tinyKeys : ownKeys(key, deflated);
    cache.learn(source.file, read.stats(index), { crc32, sha256, keys, part });
  }
}

/** Null for content that the cache does not have; none for content that does not shrink. */
function ownKeys(key: string | undefined, deflated: boolean): string[] | null {
  if (key === undefined) return null;
  return deflated ? [key] : [];
}

/** Nothing finds the data of tiny files but their names. Returns what the names lead to. */
async function rememberTiny(read: ReadFiles, cache: PackingCache): Promise<string[]> {
  const { tiny } = read;
  if (!tiny || !read.members.some((_, index) => read.part(index) && cache.canLearn(read.stats(index)))) return [];
  await cache.add(tiny.key, tiny.data);
  return [tiny.key];
}

/** Files are read and compressed in blocks of this size. */
export const blockBytes = 2 ** 20;
/** What deflate may refer to before a block. */
export const windowBytes = 2 ** 15;
/** A block, the window before it, and what deflate may add. */
const bufferBytes = windowBytes + blockBytes + 2 ** 14;

/** Buffers for blocks, which are used again. */
export class BlockBuffers {
  readonly #free: ArrayBuffer[] = [];

  take(bytes = bufferBytes): ArrayBuffer {
    return bytes > bufferBytes ? new ArrayBuffer(bytes) : (this.#free.pop() ?? new ArrayBuffer(bufferBytes));
  }

  /** A buffer of another size is forgotten. */
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
