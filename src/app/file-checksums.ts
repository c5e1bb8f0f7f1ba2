import { createHash, hash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { turn, turnIsDue } from '../kernel/clock.ts';
import { openRegularSync } from '../kernel/disk/index.ts';
import { once } from '../kernel/once.ts';
import type { FileEntry } from './files/entry.ts';
import type { Checksums, FileIndex, PackingCacheOptions } from './packing-cache/index.ts';

/** With a cache, a file that has not changed since it was packed or read is not read again. */
export class FileChecksums {
  readonly #sums = new Map<string, Checksums>();
  readonly #index = once(async () => this.cache && (await import('./packing-cache/index.ts')).openIndex(this.cache));
  #hasLearned = false;

  constructor(private readonly cache?: PackingCacheOptions | undefined) {}

  /** The checksums of each entry, in their order. Computes them once: to see later changes, create another. */
  async readAll(entries: readonly FileEntry[], signal?: AbortSignal): Promise<Checksums[]> {
    const index = await this.#index();
    const all: Checksums[] = [];
    const isDue = turnIsDue();
    for (const entry of entries) {
      // Thousands of files are known, and a promise for each takes longer than all the rest.
      all.push(this.#recall(entry, index?.files) ?? (await this.#read(entry, index?.files)));
      if (!isDue()) continue;
      await turn();
      signal?.throwIfAborted();
    }
    return all;
  }

  #recall({ source, stats }: FileEntry, files: FileIndex | undefined): Checksums | undefined {
    if ('text' in source) return undefined;
    const sums = this.#sums.get(source.file) ?? files?.recall(source.file, stats);
    return sums && { crc32: sums.crc32, sha256: sums.sha256 };
  }

  async #read({ source, stats }: FileEntry, files: FileIndex | undefined): Promise<Checksums> {
    if ('text' in source) return { crc32: crc32(source.text), sha256: hash('sha256', source.text) };
    const sums = await readChecksums(source.file);
    this.#sums.set(source.file, sums);
    if (stats && this.cache && files?.canLearn(stats, this.cache.now)) {
      files.set(source.file, stats, { ...sums, size: stats.size, packed: undefined });
      this.#hasLearned = true;
    }
    return sums;
  }

  /** Remembers what was read, as far as the cache can be written. */
  async save(): Promise<void> {
    if (!this.#hasLearned) return;
    this.#hasLearned = false;
    const index = await this.#index();
    await index?.files.write(index.path).catch((error: Error) => {
      this.cache?.trace?.(`cannot write ${index.path}: ${error.message}`);
    });
  }
}

const block = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads a file for its checksums only, synchronously: a small one takes less time than a way through the thread pool. */
async function readChecksums(path: string): Promise<Checksums> {
  const file = openRegularSync(path);
  try {
    const sha256 = createHash('sha256');
    const isDue = turnIsDue();
    let sum = 0;
    for (let bytes = readSync(file, block); bytes > 0; bytes = readSync(file, block)) {
      const content = block.subarray(0, bytes);
      sum = crc32(content, sum);
      sha256.update(content);
      if (isDue()) await turn();
    }
    return { crc32: sum, sha256: sha256.digest('hex') };
  } finally {
    closeSync(file);
  }
}
