import { createHash } from 'node:crypto';
import { closeSync, readSync, utimesSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import { NewFile, openRegularSync } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';
import { tinyBytes } from '../deflate/batch.mjs';
import { deflateLevel } from '../deflate/reused-stream.mjs';
import type { FileEntry } from '../files/entry.ts';
import { appFile, maxCacheBytes, openFolder, trimCache } from './cache-folder.ts';
import { type Checksums, FileIndex, type KnownContent, type MemberPlace, trustedDevice } from './file-index.ts';

export interface PackingCacheOptions {
  cache: string;
  root: string;
  now: number;
  trace?: ((line: string) => void) | undefined;
}

type OpenIndex = NonNullable<Awaited<ReturnType<typeof openIndex>>>;

/** What is known of the files of an app folder. Undefined if the folder of the cache cannot be used. */
export async function openIndex({ cache, root, trace }: PackingCacheOptions) {
  try {
    const folder = openFolder(cache);
    const path = appFile(folder, root, '.files');
    return { folder, path, files: await FileIndex.read(path, deflateVersion(), trustedDevice(root)) };
  } catch (error) {
    trace?.(`without the packing cache: ${(error as Error).message}`);
    return undefined;
  }
}

/** What a file goes into the archive as. */
export interface PackedContent extends Checksums {
  size: number;
  deflated: boolean;
  data: Uint8Array;
}

/**
 * The cache of one packing. What the files compress to is in one file, since opening one for each would take longer than
 * compressing. A packing that finds a change writes it anew, with what is still good. It turns itself off on the first error.
 */
export class PackingCache {
  /** The file of the last packing. */
  #members: number | undefined;
  #file: NewFile | undefined;
  #waiting: Uint8Array[] = [];
  /** The places in the new file: others are in that of the last packing. */
  readonly #added = new Set<MemberPlace>();
  #bytes = 0;
  #hasLearned = false;
  #isOff = false;
  private readonly path: string;
  private readonly limit: number;

  private constructor(
    private readonly index: OpenIndex,
    private readonly options: PackingCacheOptions,
  ) {
    this.path = appFile(index.folder, options.root, '.members');
    this.limit = maxCacheBytes(index.folder);
    this.#members = attempt(() => openRegularSync(this.path));
  }

  /** Undefined if the folder cannot be used. */
  static async open(options: PackingCacheOptions): Promise<PackingCache | undefined> {
    const index = await openIndex(options);
    return index && new PackingCache(index, options);
  }

  recall({ source, stats }: FileEntry): KnownContent | undefined {
    return 'file' in source ? this.index.files.recall(source.file, stats) : undefined;
  }

  knows(entry: FileEntry): boolean {
    return this.#has(this.recall(entry));
  }

  /** What the file was when it was packed, if what that compresses to is here. */
  formerly({ source }: FileEntry): KnownContent | undefined {
    const content = 'file' in source ? this.index.files.contentOf(source.file) : undefined;
    return this.#has(content) ? content : undefined;
  }

  #has(content: KnownContent | undefined): boolean {
    return this.#members !== undefined && Boolean(content?.packed);
  }

  /** Returns undefined if it is not here. A file of members that is damaged is forgotten as a whole. */
  read({ at, length, sum }: MemberPlace): Uint8Array | undefined {
    const file = this.#members;
    if (file === undefined) return undefined;
    const data = Buffer.allocUnsafe(length);
    if (attempt(() => readSync(file, data, 0, length, at)) === length && crc32(data) === sum) return data;
    this.#forget();
    return undefined;
  }

  #forget(): void {
    if (this.#members !== undefined) closeSync(this.#members);
    this.#members = undefined;
  }

  /** Keeps data until `flush` writes it: a promise for each of many small files would take longer. */
  keep(entry: FileEntry, { data, deflated, ...content }: PackedContent): void {
    if ('text' in entry.source) return;
    const isNew = !this.knows(entry);
    const before = this.formerly(entry);
    const isWorthIt = deflated || content.size <= tinyBytes;
    const isThere = before?.packed && before.sha256 === content.sha256;
    this.learn(entry, { ...content, packed: isThere ? before.packed : isWorthIt ? this.#append(data) : null }, isNew);
  }

  /** Undefined where the cache is full. */
  #append(data: Uint8Array): MemberPlace | undefined {
    const at = this.#bytes;
    if (this.#isOff || at + data.length > this.limit) return undefined;
    this.#bytes += data.length;
    this.#waiting.push(data);
    const place = { at, length: data.length, sum: crc32(data) };
    this.#added.add(place);
    return place;
  }

  /** Remembers a file. Its stats are from before it was read. */
  learn({ source, stats }: FileEntry, content: KnownContent, isNew = true): void {
    if ('text' in source) return;
    const isSure = stats && this.index.files.canLearn(stats, this.options.now);
    this.index.files.set(source.file, isSure ? stats : undefined, content);
    this.#hasLearned ||= isNew;
  }

  async flush(): Promise<void> {
    await this.#attempt(async () => {
      const data = Buffer.concat(this.#waiting.splice(0));
      if (data.length === 0) return;
      this.#file ??= await NewFile.create(this.path, { mode: 0o600 });
      await this.#file.handle.writeFile(data);
    });
  }

  /** Keeps what was added, of these files. Call it when the archive is complete. */
  async finish(entries: readonly FileEntry[]): Promise<void> {
    await this.#attempt(() => this.#store(entries));
    await this.close();
  }

  /** Forgets what was added, unless it is finished. */
  async close(): Promise<void> {
    this.#isOff = true;
    await this.#file?.discard();
    this.#forget();
  }

  /** Not flushed to the disk: what a power failure has torn is recognized. */
  async #store(entries: readonly FileEntry[]): Promise<void> {
    const { path, folder, files } = this.index;
    const { now } = this.options;
    if (this.#hasLearned) {
      if (this.#file) await this.#moveMembers(entries);
      if (this.#isOff) return;
      await this.#file?.commit(this.path);
      this.#file = undefined;
      await files.write(path, new Set(entries.map(({ source }) => ('file' in source ? source.file : ''))));
    }
    // Another process may have removed it.
    for (const each of [path, this.path]) attempt(() => utimesSync(each, now / 1000, now / 1000));
    trimCache(folder, this.limit, now);
  }

  /** Adds what is good of the last file to the new one. */
  async #moveMembers(entries: readonly FileEntry[]): Promise<void> {
    for (const { source } of entries) {
      const content = 'file' in source ? this.index.files.contentOf(source.file) : undefined;
      if (!content?.packed || this.#added.has(content.packed)) continue;
      const data = this.read(content.packed);
      content.packed = data && this.#append(data);
      if (this.#waiting.length >= maxWaiting) await this.flush();
    }
    await this.flush();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#isOff) return;
    try {
      await work();
    } catch (error) {
      this.#isOff = true;
      this.options.trace?.(`cannot write the packing cache: ${(error as Error).message}`);
    }
  }
}

/** How many members are written at once. */
const maxWaiting = 500;

/** zlib compresses differently in other versions, and with the instructions of other processors. */
function deflateVersion(): string {
  const made = deflateRawSync(sample(), { level: deflateLevel });
  return `deflate ${deflateLevel} zlib ${process.versions.zlib} ${createHash('sha256').update(made).digest('hex')}\n`;
}

const sampleWords = 6_000;

/** Text with matches at many distances, always the same. */
function sample(): string {
  const words: string[] = [];
  let state = 1;
  for (let at = 0; at < sampleWords; at++) {
    state = (state * 48_271) % 2_147_483_647;
    words.push((state % 1_500).toString(36).repeat((state % 3) + 1));
  }
  return words.join(' ');
}
