import { randomBytes } from 'node:crypto';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { turn, turnIsDue } from '../../kernel/clock.ts';
import { NewFile } from '../../kernel/disk/index.ts';
import { throwIfAborted } from '../../kernel/errors.ts';
import { BufferedFile } from '../buffered-file.ts';
import { deflateVersion } from '../deflate/deflate-version.ts';
import type { FileEntry, FileStats } from '../files/entry.ts';
import { indexPath, maxCacheBytes, openFolder, segmentPaths, trimCache } from './cache-folder.ts';
import { FileIndex, type IndexedFile, type KnownContent, trustedDevice } from './file-index.ts';
import { encodeIndex, PackedSegment, type SegmentIndex, segmentEnding } from './segment.ts';

export type { KnownContent } from './file-index.ts';

export interface PackingCacheOptions {
  cache: string;
  root: string;
  now: number;
  trace?: ((line: string) => void) | undefined;
}

/** Smaller segments are joined when there are too many of them. */
const smallBytes = 8 * 2 ** 20;
const maxSmall = 16;
/** Of at most a megabyte. */
const maxBlocks = 4;

/** The cache of one packing. It turns itself off on the first error. */
export class PackingCache {
  readonly #segments: PackedSegment[] = [];
  #writer: SegmentWriter | undefined;
  /** Blocks of tiny files, as they were read last. */
  readonly #blocks = new Map<string, Uint8Array>();
  #entries: readonly FileEntry[] = [];
  #hasLearned = false;
  #isOff = false;

  private constructor(
    /** Begins what is hashed for a key. */
    readonly salt: string,
    private readonly folder: string,
    private readonly limit: number,
    /** After `recognize`: none that has changed. */
    private readonly files: FileIndex,
    private readonly options: PackingCacheOptions,
  ) {}

  /** Undefined if the folder cannot be used. */
  static async open(options: PackingCacheOptions): Promise<PackingCache | undefined> {
    try {
      const folder = openFolder(options.cache);
      const salt = deflateVersion();
      const files = await FileIndex.read(indexPath(folder, options.root), salt, trustedDevice(options.root));
      const cache = new PackingCache(salt, folder, maxCacheBytes(folder), files, options);
      for (const path of segmentPaths(folder)) cache.#openSegment(path);
      return cache;
    } catch (error) {
      options.trace?.(`packing without a cache: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Finds the files that have not changed since they were packed. */
  async recognize(entries: readonly FileEntry[], signal?: AbortSignal): Promise<void> {
    this.#entries = entries;
    const isDue = turnIsDue();
    for (const { source, stats } of this.files.size > 0 ? entries : []) {
      if ('file' in source && !this.files.isUnchanged(source.file, stats)) this.files.delete(source.file);
      if (!isDue()) continue;
      await turn();
      throwIfAborted(signal);
    }
  }

  /** Whether content is here that may be found by its key. */
  get hasContents(): boolean {
    return this.#segments.length > 0;
  }

  /** Whether `recall` returns something. */
  knows({ source }: FileEntry): boolean {
    const keys = 'file' in source ? this.files.keysOf(source.file) : undefined;
    return keys?.every((key) => this.#segmentOf(key)) ?? false;
  }

  /** What is known of a file, if it has not changed and all of its compressed content is here. */
  recall(entry: FileEntry): KnownContent | undefined {
    const known = 'file' in entry.source && this.knows(entry) ? this.files.get(entry.source.file) : undefined;
    return known && { ...known, keys: known.keys ?? [] };
  }

  /** Compressed content, empty if it does not shrink; undefined if it is not here or damaged. */
  read(key: string): Uint8Array | undefined {
    for (const segment of this.#segments) {
      const record = segment.index.get(key);
      const data = record && segment.read(record);
      if (data) return data;
    }
    return undefined;
  }

  /** The block of tiny files. The last ones are kept, because files that come one after the other share them. */
  readBlock(key: string): Uint8Array | undefined {
    const kept = this.#blocks.get(key);
    const block = kept ?? this.read(key);
    if (kept || !block) return kept;
    for (const oldest of this.#blocks.keys()) if (this.#blocks.size >= maxBlocks) this.#blocks.delete(oldest);
    this.#blocks.set(key, block);
    return block;
  }

  async add(key: string, data: Uint8Array): Promise<void> {
    await this.#attempt(async () => {
      const segment = this.#segmentOf(key);
      if (segment) segment.wasUsed = true;
      if (segment && !segment.isDamaged) return;
      if ((this.#writer?.bytes ?? 0) + data.length > this.limit) return;
      this.#writer ??= await SegmentWriter.create(this.folder);
      await this.#writer.add(key, data);
    });
  }

  /** Remembers a file that was read, unless it could change without a trace. `stats` are from before that. */
  learn(path: string, stats: FileStats, content: IndexedFile): void {
    if (!this.canLearn(stats)) return;
    const known = this.files.isUnchanged(path, stats) ? this.files.get(path) : undefined;
    // What is known to be stored is read without a key again.
    if (known && (known.keys || !content.keys) && !content.part) return;
    this.files.set(path, stats, content);
    this.#hasLearned = true;
  }

  canLearn(stats: Pick<FileStats, 'dev' | 'ctimeMs'>): boolean {
    return this.files.canLearn(stats, this.options.now);
  }

  /** Keeps what was added. Call it when the archive is complete. */
  async finish(): Promise<void> {
    await this.#attempt(() => this.#store());
    this.#isOff = true;
  }

  /** Forgets what was added, unless it is finished. */
  async close(): Promise<void> {
    if (!this.#isOff) await this.#writer?.discard();
    this.#isOff = true;
    for (const segment of this.#segments) segment.close();
  }

  async #store(): Promise<void> {
    const joined = this.#segmentsToJoin();
    if (joined.length > 0) this.#writer ??= await SegmentWriter.create(this.folder);
    for (const segment of joined) await this.#writer?.addAll(segment);
    await this.#writer?.commit();
    for (const { path } of joined) rmSync(path, { force: true });

    const { root, now } = this.options;
    const path = indexPath(this.folder, root);
    const files = this.#entries.map(({ source }) => ('file' in source ? source.file : ''));
    if (this.#hasLearned) await this.files.write(path, new Set(files));
    const used = this.#segments.filter((segment) => segment.wasUsed && !joined.includes(segment));
    for (const each of [path, ...used.map((segment) => segment.path)]) touch(each, now);
    trimCache(this.folder, this.limit, now);
  }

  /** Of a damaged segment the intact rest is kept. */
  #segmentsToJoin(): PackedSegment[] {
    const small = this.#segments.filter(({ bytes }) => bytes < smallBytes);
    return this.#segments.filter(
      (segment) => segment.isDamaged || (small.length >= maxSmall && small.includes(segment)),
    );
  }

  #segmentOf(key: string): PackedSegment | undefined {
    return this.#segments.find(({ index }) => index.has(key));
  }

  #openSegment(path: string): void {
    try {
      const segment = PackedSegment.open(path);
      if (segment) this.#segments.push(segment);
      else rmSync(path, { force: true });
    } catch {
      // Another process has removed it.
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#isOff) return;
    try {
      await work();
    } catch (error) {
      this.#isOff = true;
      this.options.trace?.(`cannot write the packing cache: ${(error as Error).message}`);
      await this.#writer?.discard();
    }
  }
}

function touch(path: string, now: number): void {
  try {
    utimesSync(path, now / 1000, now / 1000);
  } catch {
    // Another process has removed it.
  }
}

/** Writes a segment under a temporary name, which it loses when it is complete. Throws system errors. */
class SegmentWriter {
  readonly #index: SegmentIndex = new Map();

  private constructor(
    private readonly folder: string,
    private readonly file: NewFile,
    private readonly output: BufferedFile,
  ) {}

  static async create(folder: string): Promise<SegmentWriter> {
    const file = await NewFile.create(join(folder, 'new'), { mode: 0o600 });
    return new SegmentWriter(folder, file, new BufferedFile(file.handle));
  }

  get bytes(): number {
    return this.output.position;
  }

  async add(key: string, data: Uint8Array): Promise<void> {
    if (this.#index.has(key)) return;
    const record = { offset: this.output.position, length: data.length, crc32: crc32(data) };
    await this.output.append(data);
    this.#index.set(key, record);
  }

  async addAll(segment: PackedSegment): Promise<void> {
    for (const [key, record] of segment.index) {
      const data = segment.read(record);
      if (data) await this.add(key, data);
    }
  }

  /** Not flushed to the disk: a segment that a power failure has torn is recognized. */
  async commit(): Promise<void> {
    await this.output.append(encodeIndex(this.#index));
    await this.output.flush();
    await this.file.commit(join(this.folder, `${randomBytes(8).toString('hex')}${segmentEnding}`));
  }

  async discard(): Promise<void> {
    await this.file.discard();
  }
}
