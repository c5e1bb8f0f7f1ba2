import { hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Block } from './block-pool.ts';
import type { Job, Result } from './hash-worker.mjs';

/** MD5 of bytes as they pass. */
export interface Digest {
  /** Resolves when the block may be used for something else. */
  update(block: Block, length: number): Promise<void>;
  /** In hex. To be asked once. */
  end(): Promise<string>;
}

/** Threads that do nothing but MD5, begun when they are first needed. To be closed, or the process does not end. */
export class Hasher {
  #threads: Thread[] = [];
  #digests = 0;

  constructor(private readonly most: number) {}

  createDigest(): Digest {
    const thread = this.#idlest();
    const digest = ++this.#digests;
    return {
      update: async ({ memory }, length) => void (await thread.run({ kind: 'block', digest, memory, length })),
      end: () => thread.run({ kind: 'end', digest }),
    };
  }

  /** Of a stretch of a file; of less when the file is shorter. */
  hashFile(path: string, offset: number, length: number): Promise<string> {
    return this.#idlest().run({ kind: 'file', path, offset, length });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #idlest(): Thread {
    if (this.#threads.length === 0) this.#threads = Array.from({ length: this.most }, () => new Thread());
    return this.#threads.reduce((best, thread) => (thread.load < best.load ? thread : best));
  }
}

/** For a few bytes a thread is not worth the asking. */
export function md5(bytes: Uint8Array): string {
  return hash('md5', bytes);
}

interface Waiting {
  resolve(md5: string): void;
  reject(error: Error): void;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #jobs = 0;
  #broken: Error | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./hash-worker.mjs', import.meta.url), {
      workerData: 'hash',
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
    });
    this.#worker.on('message', ({ id, md5 = '', error }: Result) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting?.resolve(md5);
    });
    this.#worker.on('error', (error) => this.#break(error));
  }

  get load(): number {
    return this.#waiting.size;
  }

  run(job: Job): Promise<string> {
    if (this.#broken) return Promise.reject(this.#broken);
    const id = ++this.#jobs;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, job });
    });
  }

  async close(): Promise<void> {
    this.#break(new Error('the transfer is over'));
    await this.#worker.terminate();
  }

  #break(error: Error): void {
    this.#broken ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#broken);
    this.#waiting.clear();
  }
}
