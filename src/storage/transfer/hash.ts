import { hash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { startOwnWorker } from '../../own-files.ts';
import type { Block } from './block-pool.ts';
import type { HashJob, HashResult, Sum } from './hash-worker.mjs';

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
    return this.#threads.reduce((best, thread) => (thread.load < best.load ? thread : best));
  }
}

/** Up to this many bytes, MD5 takes less time on the main thread than a message to a hashing thread. */
export const maxInlineHashBytes = 64 * 1024;

export function md5(bytes: Uint8Array): string {
  return hash('md5', bytes);
}

interface Waiting {
  resolve(result: string | undefined): void;
  reject(error: Error): void;
}

class HashThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #broken: Error | undefined;

  constructor() {
    this.#worker = startOwnWorker('storage/transfer/hash-worker.mjs', {
      workerData: 'hash',
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
    });
    this.#worker.on('message', ({ id, result, error }: HashResult) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting?.resolve(result);
    });
    this.#worker.on('error', (error) => this.#break(error));
  }

  get load(): number {
    return this.#waiting.size;
  }

  run(job: HashJob): Promise<string | undefined> {
    if (this.#broken) return Promise.reject(this.#broken);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, job });
    });
  }

  async close(): Promise<void> {
    this.#break(new Error('the transfer has ended'));
    await this.#worker.terminate();
  }

  #break(error: Error): void {
    this.#broken ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#broken);
    this.#waiting.clear();
  }
}
