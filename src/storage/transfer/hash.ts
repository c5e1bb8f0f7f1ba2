import { hash } from 'node:crypto';
import { leastBusy, Thread } from '../../kernel/thread.ts';
import type { Block } from './block-pool.ts';
import type { HashJob, Sum } from './hash-worker.mjs';

/** A checksum that is computed while the bytes are transferred. */
export interface Digest {
  /** Resolves when the block may be reused. */
  update(block: Block, length: number): Promise<void>;
  /** What another SHA-256 can go on from; undefined for other algorithms. */
  state(): Promise<string | undefined>;
  /** In hex. Call it once. */
  end(): Promise<string>;
}

/** Threads that compute checksums, started on first use. Close it, or the process does not exit. */
export class Hasher {
  #threads: HashThread[] = [];
  #digests = 0;

  constructor(private readonly maxThreads: number) {}

  createDigest(sum: Sum = { algorithm: 'md5' }): Digest {
    const thread = this.#leastBusy();
    const digest = ++this.#digests;
    return {
      update: async ({ memory }, length) => void (await thread.run({ kind: 'block', digest, sum, memory, length })),
      state: () => thread.run({ kind: 'state', digest, sum }),
      end: async () => (await thread.run({ kind: 'end', digest, sum })) ?? '',
    };
  }

  /** The MD5 of a byte range of a file, or of less if the file is shorter. */
  async hashFile(path: string, offset: number, length: number): Promise<string> {
    return (await this.#leastBusy().run({ kind: 'file', path, offset, length })) ?? '';
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #leastBusy(): HashThread {
    if (this.#threads.length === 0) this.#threads = Array.from({ length: this.maxThreads }, () => new HashThread());
    return leastBusy(this.#threads) as HashThread;
  }
}

/** Up to this many bytes, MD5 takes less time on the main thread than a message to a hashing thread. */
export const maxInlineHashBytes = 64 * 1024;

export function md5(bytes: Uint8Array): string {
  return hash('md5', bytes);
}

class HashThread extends Thread<HashJob, string | undefined> {
  constructor() {
    super('storage/transfer/hash-worker.mjs', {
      workerData: 'hash',
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
    });
  }

  async close(): Promise<void> {
    this.break(new Error('the transfer has ended'));
    await this.worker.terminate();
  }
}
