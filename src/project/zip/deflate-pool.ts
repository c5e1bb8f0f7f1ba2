import { Worker } from 'node:worker_threads';
import { type Job, perform, type Result } from './deflate-worker.mjs';

/** Some threads that deflate. With none of them the work is done at once, in the caller's. */
export class DeflatePool {
  readonly #threads: Thread[];

  constructor(threads: number) {
    this.#threads = Array.from({ length: threads }, () => new Thread());
  }

  /** The job's buffer is gone until the result brings it back. */
  async run(job: Job): Promise<Result> {
    const idlest = this.#threads.reduce<Thread | undefined>(
      (best, thread) => (best && best.load <= thread.load ? best : thread),
      undefined,
    );
    return idlest ? idlest.run(job) : perform(job);
  }

  /** Jobs under way fail with this error. */
  async close(error: Error = new Error('the archive is closed')): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(error)));
  }
}

interface Waiting {
  resolve(result: Result): void;
  reject(error: Error): void;
}

class Thread {
  readonly #worker: Worker;
  /** In the order of the jobs, which is the order of the results. */
  #waiting: Waiting[] = [];
  #broken: Error | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./deflate-worker.mjs', import.meta.url), {
      workerData: 'deflate',
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
    this.#worker.on('message', (result: Result) => this.#waiting.shift()?.resolve(result));
    this.#worker.on('error', (error) => this.#break(error));
  }

  get load(): number {
    return this.#waiting.length;
  }

  run(job: Job): Promise<Result> {
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(job, [job.buffer]);
    });
  }

  async close(error: Error): Promise<void> {
    this.#break(error);
    await this.#worker.terminate();
  }

  #break(error: Error): void {
    this.#broken ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#broken);
  }
}
