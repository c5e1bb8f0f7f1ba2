import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { turn, turnIsDue } from '../kernel/clock.ts';
import { openRegular, openRegularSync } from '../kernel/disk/index.ts';
import type { FileEntry } from './files/entry.ts';
import type { AppStamp, Checksums, KnownFiles, PackingCacheOptions } from './packing-cache/index.ts';

const blockBytes = 1024 * 1024;

/** With a cache, a file that has not changed since it was packed or read is not read again. */
export class FileChecksums {
  #known: Promise<KnownFiles | undefined> | undefined;
  readonly #sums = new Map<string, Checksums>();
  #digest: { of: readonly FileEntry[]; value: string } | undefined;
  #stamp: AppStamp | undefined;

  constructor(private readonly cache?: PackingCacheOptions | undefined) {}

  /** The checksums of each entry, in their order. Computes them once: to see later changes, create another. */
  async readAll(entries: readonly FileEntry[], signal?: AbortSignal): Promise<Checksums[]> {
    this.#known ??= this.#openKnown();
    const known = await this.#known;
    const all: Checksums[] = [];
    const isDue = turnIsDue();
    for (const entry of entries) {
      // Thousands of files are known, and a promise for each takes longer than all the rest.
      all.push(this.#recall(entry, known) ?? (await this.#read(entry, known)));
      if (!isDue()) continue;
      await turn();
      signal?.throwIfAborted();
    }
    return all;
  }

  /** Remembered as long as no file changes: one app has one `digest`, which changes its result if it changes. */
  async digestOf(entries: readonly FileEntry[], digest: (sums: Checksums[]) => string): Promise<string> {
    if (this.#digest?.of === entries) return this.#digest.value;
    const stamp = await this.#openStamp(entries);
    const remembered = await stamp?.read();
    this.#stamp = remembered === undefined ? stamp : undefined;
    this.#digest = { of: entries, value: remembered ?? digest(await this.readAll(entries)) };
    return this.#digest.value;
  }

  #recall({ source, stats }: FileEntry, known: KnownFiles | undefined): Checksums | undefined {
    if ('text' in source) return undefined;
    return this.#sums.get(source.file) ?? known?.recall(source.file, stats);
  }

  async #read({ source, size, stats }: FileEntry, known: KnownFiles | undefined): Promise<Checksums> {
    if ('text' in source) return new Sums().add(Buffer.from(source.text)).result();
    // On a disk of this machine, where a small file takes less time than the ways through the thread pool.
    const isQuick = known?.isLocal && size <= blockBytes;
    const sums = isQuick ? readAtOnce(source.file) : await readChecksums(source.file, size);
    if (isQuick && stats) known.learn(source.file, stats, sums);
    this.#sums.set(source.file, sums);
    return sums;
  }

  async save(): Promise<void> {
    await (await this.#known)?.save();
    if (this.#digest) await this.#stamp?.write(this.#digest.value);
  }

  async #openStamp(entries: readonly FileEntry[]): Promise<AppStamp | undefined> {
    if (!this.cache) return undefined;
    const { AppStamp } = await import('./packing-cache/index.ts');
    return AppStamp.open(entries, this.cache);
  }

  async #openKnown(): Promise<KnownFiles | undefined> {
    if (!this.cache) return undefined;
    const { KnownFiles } = await import('./packing-cache/index.ts');
    return KnownFiles.open(this.cache);
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

const sharedBlock = Buffer.allocUnsafeSlow(64 * 1024);

function readAtOnce(path: string): Checksums {
  const file = openRegularSync(path);
  try {
    const sums = new Sums();
    for (;;) {
      const bytes = readSync(file, sharedBlock);
      if (bytes === 0) return sums.result();
      sums.add(sharedBlock.subarray(0, bytes));
    }
  } finally {
    closeSync(file);
  }
}
