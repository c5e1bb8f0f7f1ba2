import { deflateVersion } from '../deflate/deflate-version.ts';
import type { FileStats } from '../files/entry.ts';
import { indexPath, openFolder, packingFolder } from './cache-folder.ts';
import { currentIdentity, identityOf, isSettled, trustedDevice } from './file-identity.ts';
import { type Checksums, type FileIndex, readFileIndex, writeFileIndex } from './file-index.ts';
import type { PackingCacheOptions } from './packing-cache.ts';

/** Checksums of files that have not changed, for those who do not pack: by the same index and the same rules. */
export class KnownFiles {
  #hasLearned = false;

  private constructor(
    private readonly path: string,
    private readonly salt: string,
    private readonly index: FileIndex,
    private readonly device: number | undefined,
    private readonly options: PackingCacheOptions,
  ) {}

  /** Undefined if the folder of the cache cannot be used. */
  static async open(options: PackingCacheOptions): Promise<KnownFiles | undefined> {
    const folder = packingFolder(options.cache);
    try {
      openFolder(folder);
      const salt = deflateVersion();
      const path = indexPath(folder, options.root);
      return new KnownFiles(path, salt, await readFileIndex(path, salt), trustedDevice(options.root), options);
    } catch (error) {
      options.trace?.(`reading files without a cache: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Whether the files are on a disk of this machine. */
  get isLocal(): boolean {
    return this.device !== undefined;
  }

  /** Of a file that has not changed. `stats`: what it was when it was found, so that it need not be looked at again. */
  recall(path: string, stats?: FileStats): Checksums | undefined {
    const known = this.device === undefined ? undefined : this.index.get(path);
    if (!known || this.device === undefined) return undefined;
    const identity = stats ? identityOf(stats) : currentIdentity(path, this.device);
    return identity === known.identity ? { crc32: known.crc32, sha256: known.sha256 } : undefined;
  }

  /** Remembers a file that was read. `stats` are from before that. */
  learn(path: string, stats: FileStats, { crc32, sha256 }: Checksums): void {
    const identity = identityOf(stats);
    if (stats.dev !== this.device || !isSettled(stats.ctimeMs, this.options.now)) return;
    this.index.set(path, { identity, size: stats.size, crc32, sha256, keys: null });
    this.#hasLearned = true;
  }

  /** Best effort. */
  async save(): Promise<void> {
    if (!this.#hasLearned) return;
    this.#hasLearned = false;
    try {
      await writeFileIndex(this.path, this.salt, this.index);
    } catch (error) {
      this.options.trace?.(`cannot write ${this.path}: ${(error as Error).message}`);
    }
  }
}
