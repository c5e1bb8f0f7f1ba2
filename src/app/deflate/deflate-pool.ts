import type { Worker } from 'node:worker_threads';
import { startOwnWorker } from '../../own-files.ts';
import { type Result, runTask, type SumsTask, type Task } from './deflate-worker.mjs';

/** A task takes 50 ms at most, more on a busy machine. */
const maxTaskMs = 1_000;

/** Threads for compression. With none, the calling thread does the work. */
export class DeflatePool {
  readonly #threads: DeflateThread[];

  constructor(threads: number) {
    this.#threads = Array.from({ length: threads }, () => new DeflateThread());
  }

  /** Transfers the buffer of the task; the result returns it. */
  async run(task: Task): Promise<Result> {
    const thread = this.#leastBusy();
    return thread ? thread.run(task) : runTask(task);
  }

  /** For the checksums of one file, whose blocks are passed in order. The last result has them. */
  startSums(): (block: Omit<SumsTask, 'kind' | 'id'>) => Promise<Result> {
    const thread = this.#leastBusy();
    const id = lastId++;
    return async (block) => {
      const task: SumsTask = { ...block, kind: 'sums', id };
      return thread ? thread.run(task) : runTask(task);
    };
  }

  #leastBusy(): DeflateThread | undefined {
    return this.#threads.reduce<DeflateThread | undefined>(
      (best, thread) => (best && best.load <= thread.load ? best : thread),
      undefined,
    );
  }

  /** Unfinished tasks fail with this error. */
  async close(error: Error = new Error('the archive is closed')): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(error)));
  }
}

let lastId = 0;

interface PendingTask {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/**
 * A thread is never terminated while it compresses, also when the process exits: Node would abort ("close before init"
 * in node_zlib.cc) whenever that interrupts the creation of a zlib stream.
 */
class DeflateThread {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  /** Shared with the thread: `[isStopped, isBusy]`. */
  readonly #state = new Int32Array(new SharedArrayBuffer(8));
  /** In the order of the tasks, which is also the order of the results. */
  #pending: PendingTask[] = [];
  #error: Error | undefined;

  constructor() {
    this.#worker = startOwnWorker('app/deflate/deflate-worker.mjs', {
      workerData: { name: 'deflate', state: this.#state },
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
    this.#worker.on('message', (result: Result) => this.#pending.shift()?.resolve(result));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    process.once('exit', this.#stopBeforeExit);
  }

  get load(): number {
    return this.#pending.length;
  }

  run(task: Task): Promise<Result> {
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#worker.postMessage(task, [task.buffer]);
    });
  }

  async close(error: Error): Promise<void> {
    this.#fail(error);
    Atomics.store(this.#state, 0, 1);
    this.#worker.postMessage('exit');
    await this.#exited;
    process.off('exit', this.#stopBeforeExit);
  }

  readonly #stopBeforeExit = (): void => {
    Atomics.store(this.#state, 0, 1);
    Atomics.wait(this.#state, 1, 1, maxTaskMs);
  };

  #fail(error: Error): void {
    this.#error ??= error;
    for (const task of this.#pending.splice(0)) task.reject(this.#error);
  }
}
