import { deflateVersion } from '../deflate/deflate-version.ts';
import type { FileStats } from '../files/entry.ts';
import { indexPath, openFolder, packingFolder } from './cache-folder.ts';
import { currentStats, isSettled, trustedDevice } from './file-identity.ts';
import { type Checksums, FileIndex } from './file-index.ts';
import type { PackingCacheOptions } from './packing-cache.ts';

/** Checksums of files that have not changed, for those who do not pack: by the same index and the same rules. */
export class KnownFiles {
  #hasLearned = false;

  private constructor(
    private readonly path: string,
    private readonly index: FileIndex,
    private readonly device: number | undefined,
    private readonly options: PackingCacheOptions,
  ) {}

  /** Undefined if the folder of the cache cannot be used. */
  static async open(options: PackingCacheOptions): Promise<KnownFiles | undefined> {
    const folder = packingFolder(options.cache);
    try {
      openFolder(folder);
      const path = indexPath(folder, options.root);
      const device = trustedDevice(options.root);
      return new KnownFiles(path, await FileIndex.read(path, deflateVersion(), device), device, options);
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
    if (this.device === undefined || !this.index.has(path)) return undefined;
    const now = stats ?? currentStats(path, this.device);
    const unchanged = now?.dev === this.device && this.index.isUnchanged(path, now) ? this.index.get(path) : undefined;
    return unchanged && { crc32: unchanged.crc32, sha256: unchanged.sha256 };
  }

  /** Remembers a file that was read. `stats` are from before that. */
  learn(path: string, stats: FileStats, { crc32, sha256 }: Checksums): void {
    if (stats.dev !== this.device || !isSettled(stats.ctimeMs, this.options.now)) return;
    this.index.set(path, stats, { crc32, sha256, keys: null });
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
