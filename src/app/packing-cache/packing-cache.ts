import { utimesSync } from 'node:fs';
import { attempt } from '../../kernel/errors.ts';
import { tinyBytes } from '../deflate/batch.mjs';
import { deflateVersion } from '../deflate/deflate-version.ts';
import type { FileEntry } from '../files/entry.ts';
import { indexPath, maxCacheBytes, membersPath, openFolder, removeOtherMembers, trimCache } from './cache-folder.ts';
import { type Checksums, FileIndex, type KnownContent, type MemberPlace, trustedDevice } from './file-index.ts';
import { MemberReader, MemberWriter } from './members.ts';

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
    const path = indexPath(folder, root);
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
  /** Where the cache has the data already. */
  place?: MemberPlace;
}

/** Files of members: the next packing joins more of them. */
const maxFiles = 16;

/** The cache of one packing. It turns itself off on the first error. */
export class PackingCache {
  readonly #readers = new Map<number, MemberReader>();
  readonly #next: number;
  /** Whether what is found is written again. */
  readonly isJoining: boolean;
  readonly #writer: MemberWriter;
  #hasLearned = false;
  #isOff = false;

  private readonly folder: string;
  private readonly files: FileIndex;
  private readonly limit: number;

  private constructor(
    { folder, files }: OpenIndex,
    private readonly options: PackingCacheOptions,
  ) {
    this.folder = folder;
    this.files = files;
    this.limit = maxCacheBytes(folder);
    const { members } = files;
    for (const [number, { name, sums }] of members)
      this.#readers.set(number, new MemberReader(membersPath(folder, options.root, name), sums));
    this.#next = ([...members.keys()].at(-1) ?? 0) + 1;
    this.isJoining = members.size >= maxFiles;
    this.#writer = new MemberWriter(folder, options.root);
  }

  /** Undefined if the folder cannot be used. */
  static async open(options: PackingCacheOptions): Promise<PackingCache | undefined> {
    const index = await openIndex(options);
    return index && new PackingCache(index, options);
  }

  recall({ source, stats }: FileEntry): KnownContent | undefined {
    return 'file' in source ? this.files.recall(source.file, stats) : undefined;
  }

  knows(entry: FileEntry): boolean {
    return this.#has(this.recall(entry)?.packed);
  }

  /** What the file was when it was packed, if what that compresses to is here. */
  formerly({ source }: FileEntry): KnownContent | undefined {
    const content = 'file' in source ? this.files.contentOf(source.file) : undefined;
    return this.#has(content?.packed) ? content : undefined;
  }

  #has(place: KnownContent['packed']): boolean {
    return place ? this.#readers.has(place.members) : false;
  }

  /** Returns undefined if it is not here. A file of members that is damaged is forgotten as a whole. */
  read({ members, at, length }: MemberPlace): Uint8Array | undefined {
    try {
      return this.#readers.get(members)?.read(at, length);
    } catch {
      // Damaged, or removed by another process.
      this.#readers.get(members)?.close();
      this.#readers.delete(members);
      this.files.members.delete(members);
      this.#hasLearned = true;
      return undefined;
    }
  }

  /** Keeps data until `flush` writes it. Returns undefined if there is no room. */
  #append(data: Uint8Array): MemberPlace | undefined {
    const isFull = this.#writer.bytes + data.length > this.limit;
    return isFull ? undefined : { members: this.#next, at: this.#writer.append(data), length: data.length };
  }

  keep(entry: FileEntry, { data, deflated, place, ...content }: PackedContent): void {
    if (!this.isJoining && this.knows(entry)) return;
    const isKept = deflated || content.size <= tinyBytes;
    const isHere = !this.isJoining && this.#has(place);
    this.learn(entry, { ...content, packed: isHere ? place : isKept ? this.#append(data) : null });
  }

  /** Remembers a file. Its stats are from before it was read. */
  learn({ source, stats }: FileEntry, content: KnownContent): void {
    const isSure = stats && this.files.canLearn(stats, this.options.now);
    if ('text' in source || !(isSure || content.packed)) return;
    this.files.set(source.file, isSure ? stats : undefined, content);
    this.#hasLearned = true;
  }

  async flush(): Promise<void> {
    await this.#attempt(() => this.#writer.flush());
  }

  /** Keeps what was added, of these files. Call it when the archive is complete. */
  async finish(entries: readonly FileEntry[]): Promise<void> {
    await this.#attempt(() => this.#store(entries));
    this.#isOff = true;
  }

  /** Forgets what was added, unless it is finished. */
  async close(): Promise<void> {
    if (!this.#isOff) await this.#writer.discard();
    this.#isOff = true;
    for (const reader of this.#readers.values()) reader.close();
  }

  async #store(entries: readonly FileEntry[]): Promise<void> {
    const { root, now } = this.options;
    const { members } = this.files;
    const path = indexPath(this.folder, root);
    if (this.isJoining) members.clear();
    const name = await this.#writer.commit();
    if (name !== undefined) members.set(this.#next, { name, sums: this.#writer.sums });
    const among = entries.map(({ source }) => ('file' in source ? source.file : ''));
    if (this.#hasLearned) await this.files.write(path, new Set(among));
    const kept = new Set([...members.values()].map((each) => membersPath(this.folder, root, each.name)));
    removeOtherMembers(this.folder, root, kept);
    // Another process may have removed it.
    for (const each of [path, ...kept]) attempt(() => utimesSync(each, now / 1000, now / 1000));
    trimCache(this.folder, this.limit, now);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#isOff) return;
    try {
      await work();
    } catch (error) {
      this.#isOff = true;
      this.options.trace?.(`cannot write the packing cache: ${(error as Error).message}`);
      await this.#writer.discard();
    }
  }
}
