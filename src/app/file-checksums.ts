import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { turn, turnIsDue } from '../kernel/clock.ts';
import { openRegular, readRegularBytesSync } from '../kernel/disk/index.ts';
import { once } from '../kernel/once.ts';
import type { FileEntry } from './files/entry.ts';
import type { Checksums, FileIndex, PackingCacheOptions } from './packing-cache/index.ts';

const blockBytes = 1024 * 1024;

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
    const known = this.#sums.get(source.file) ?? files?.recall(source.file, stats);
    return known && { crc32: known.crc32, sha256: known.sha256 };
  }

  async #read({ source, size, stats }: FileEntry, files: FileIndex | undefined): Promise<Checksums> {
    if ('text' in source) return new Sums().add(Buffer.from(source.text)).result();
    const isSmall = size <= blockBytes;
    // A small one takes less time than the ways through the thread pool.
    const sums = isSmall
      ? new Sums().add(readRegularBytesSync(source.file)).result()
      : await readChecksums(source.file, size);
    this.#sums.set(source.file, sums);
    if (isSmall && stats && this.cache && files?.canLearn(stats, this.cache.now)) {
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

class Sums {
  #crc32 = 0;
  readonly #sha256 = createHash('sha256');

  add(bytes: Uint8Array): this {
    this.#crc32 = crc32(bytes, this.#crc32);
    this.#sha256.update(bytes);
    return this;
  }

  result(): Checksums {
    return { crc32: this.#crc32, sha256: this.#sha256.digest('hex') };
  }
}

/** Reads a file for its checksums only. */
export async function readChecksums(path: string, size: number): Promise<Checksums> {
  const file = await openRegular(path);
  try {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, size) || 1);
    const sums = new Sums();
    for (;;) {
      const { bytesRead } = await file.read(block);
      if (bytesRead === 0) return sums.result();
      sums.add(block.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
