import { type BigIntStats, closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { openRegular, openRegularSync } from '../disk/index.ts';
import type { FileEntry } from './files/entry.ts';
import type { KnownFiles, PackingCacheOptions } from './packing-cache/index.ts';

const blockBytes = 1024 * 1024;
/** The longest time between two turns of the event loop. */
const maxBlockingMs = 20;

/**
 * The CRC-32 of the content of files, as in a zip archive. With a cache, a file that has not changed since it was packed or
 * read is not read again.
 */
export class FileChecksums {
  #known: Promise<KnownFiles | undefined> | undefined;
  /** By path, of this run. */
  readonly #sums = new Map<string, number>();
  #lastTurn = performance.now();

  constructor(private readonly cache?: PackingCacheOptions | undefined) {}

  /** Computes it once: to see later changes, create another. */
  async read({ source, size }: FileEntry): Promise<number> {
    if ('text' in source) return crc32(source.text);
    const before = this.#sums.get(source.file);
    if (before !== undefined) return before;
    await this.#takeTurn();
    const sum = await this.#read(source.file, size);
    this.#sums.set(source.file, sum);
    return sum;
  }

  async #read(path: string, size: number): Promise<number> {
    this.#known ??= this.#openKnown();
    const known = await this.#known;
    if (!known) return readSlowly(path, size);
    const recalled = known.recall(path);
    if (recalled !== undefined) return recalled;
    // On a disk of this machine, where a small file takes less time than the ways through the thread pool.
    if (size > blockBytes || !known.isLocal) return readSlowly(path, size);
    const { sum, stats } = readAtOnce(path);
    known.learn(path, stats, sum);
    return sum;
  }

  /** Keeps what was read. */
  async save(): Promise<void> {
    await (await this.#known)?.save();
  }

  async #openKnown(): Promise<KnownFiles | undefined> {
    if (!this.cache) return undefined;
    const { KnownFiles } = await import('./packing-cache/index.ts');
    return KnownFiles.open(this.cache);
  }

  async #takeTurn(): Promise<void> {
    if (performance.now() - this.#lastTurn < maxBlockingMs) return;
    await turn();
    this.#lastTurn = performance.now();
  }
}

async function readSlowly(path: string, size: number): Promise<number> {
  const file = await openRegular(path);
  try {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, size) || 1);
    let sum = 0;
    for (;;) {
      const { bytesRead } = await file.read(block);
      if (bytesRead === 0) return sum;
      sum = crc32(block.subarray(0, bytesRead), sum);
    }
  } finally {
    await file.close();
  }
}

const sharedBlock = Buffer.allocUnsafeSlow(64 * 1024);

/** `stats` are from before it was read. */
function readAtOnce(path: string): { sum: number; stats: BigIntStats } {
  const file = openRegularSync(path);
  try {
    const stats = fstatSync(file, { bigint: true });
    let sum = 0;
    for (;;) {
      const bytes = readSync(file, sharedBlock);
      if (bytes === 0) return { sum, stats };
      sum = crc32(sharedBlock.subarray(0, bytes), sum);
    }
  } finally {
    closeSync(file);
  }
}
