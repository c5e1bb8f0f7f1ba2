import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import { deflateVersion } from '../deflate/deflate-version.ts';
import type { FileEntry, FileStats } from '../files/entry.ts';
import { indexPath, openFolder, stampPath } from './cache-folder.ts';
import { type Checksums, FileIndex, isSettled, trustedDevice } from './file-index.ts';
import type { PackingCacheOptions } from './packing-cache.ts';

export { clearPackingCache, packingFolder, packingUsage } from './cache-folder.ts';
export type { Checksums, KnownContent, MemberPlace } from './file-index.ts';
export { type PackedContent, PackingCache, type PackingCacheOptions } from './packing-cache.ts';

/** A digest of all files, remembered in a file of one line: for an unchanged app, the index itself is not read. */
export class AppStamp {
  private constructor(
    private readonly path: string,
    private readonly stamp: string,
    private readonly options: PackingCacheOptions,
  ) {}

  /** Undefined if these files cannot be told from changed ones, or if the folder of the cache cannot be used. */
  static open(entries: readonly FileEntry[], options: PackingCacheOptions): AppStamp | undefined {
    const stamp = stampOf(entries, options);
    if (stamp === undefined) return undefined;
    try {
      const folder = openFolder(options.cache);
      return new AppStamp(stampPath(folder, options.root), stamp, options);
    } catch {
      return undefined;
    }
  }

  /** Undefined if a file has changed since `write`. */
  async read(): Promise<string | undefined> {
    const [stamp, digest] = (await readFile(this.path, 'utf8').catch(() => '')).trimEnd().split(' ');
    return stamp === this.stamp ? digest : undefined;
  }

  /** `digest` has no spaces. Best effort. */
  async write(digest: string): Promise<void> {
    try {
      await writeFileAtomic(this.path, `${this.stamp} ${digest}\n`, { mode: 0o600 });
    } catch (error) {
      this.options.trace?.(`cannot write ${this.path}: ${(error as Error).message}`);
    }
  }
}

const factsPerFile = 6;

const noStats = { ino: 0, size: 0, mtimeMs: 0, ctimeMs: 0 };

/** A digest of what tells that files have not changed. Undefined if one of them may change without a trace. */
function stampOf(entries: readonly FileEntry[], { root, now }: PackingCacheOptions): string | undefined {
  const device = trustedDevice(root);
  if (device === undefined) return undefined;
  const texts: string[] = [];
  const facts = new Float64Array(entries.length * factsPerFile);
  for (const [index, { path, source, stats, executable }] of entries.entries()) {
    texts.push(path);
    if ('text' in source) texts.push(source.text);
    else if (stats?.dev !== device || !isSettled(stats.ctimeMs, now)) return undefined;
    const { ino, size, mtimeMs, ctimeMs } = stats ?? noStats;
    facts.set([Number('text' in source), Number(executable), ino, size, mtimeMs, ctimeMs], index * factsPerFile);
  }
  return createHash('sha256').update(`stamp 1 ${device}\n`).update(JSON.stringify(texts)).update(facts).digest('hex');
}

/** Checksums of files that have not changed, for those who do not pack: by the same index and the same rules. */
export class KnownFiles {
  #hasLearned = false;

  private constructor(
    private readonly path: string,
    private readonly index: FileIndex,
    private readonly options: PackingCacheOptions,
  ) {}

  /** Undefined if the folder of the cache cannot be used. */
  static async open(options: PackingCacheOptions): Promise<KnownFiles | undefined> {
    try {
      const folder = openFolder(options.cache);
      const path = indexPath(folder, options.root);
      const index = await FileIndex.read(path, deflateVersion(), trustedDevice(options.root));
      return new KnownFiles(path, index, options);
    } catch (error) {
      options.trace?.(`reading files without a cache: ${(error as Error).message}`);
      return undefined;
    }
  }

  get isLocal(): boolean {
    return this.index.device !== undefined;
  }

  /** The checksums of a file that has not changed. `stats`: what it was when it was found. */
  recall(path: string, stats?: FileStats): Checksums | undefined {
    const row = this.index.find(path);
    if (row === undefined || !this.index.isUnchanged(row, stats)) return undefined;
    const { crc32, sha256 } = this.index.contentOf(row);
    return { crc32, sha256 };
  }

  /** Remembers a file that was read. `stats` are from before that. */
  learn(path: string, stats: FileStats, sums: Checksums): void {
    if (!this.index.canLearn(stats, this.options.now)) return;
    this.index.set(path, stats, { ...sums, size: stats.size, packed: undefined });
    this.#hasLearned = true;
  }

  /** Best effort. */
  async save(): Promise<void> {
    if (!this.#hasLearned) return;
    this.#hasLearned = false;
    try {
      await this.index.write(this.path);
    } catch (error) {
      this.options.trace?.(`cannot write ${this.path}: ${(error as Error).message}`);
    }
  }
}
