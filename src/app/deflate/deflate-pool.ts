import { leastBusy, Thread } from '../../kernel/thread.ts';
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
    return runOn(leastBusy(this.#threads), task);
  }

  /** For the checksums of one file, whose blocks are passed in order. The last result has them. */
  startSums(): (block: Omit<SumsTask, 'kind' | 'id'>) => Promise<Result> {
    const thread = leastBusy(this.#threads);
    const id = lastId++;
    return async (block) => runOn(thread, { ...block, kind: 'sums', id });
  }

  /** Unfinished tasks fail with this error. */
  async close(error: Error = new Error('the archive is closed')): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close(error)));
  }
}

let lastId = 0;

async function runOn(thread: DeflateThread | undefined, task: Task): Promise<Result> {
  return thread ? thread.run(task, [task.buffer]) : runTask(task);
}

/** Never terminated while it compresses, also at exit: Node would abort ("close before init" in node_zlib.cc). */
class DeflateThread extends Thread<Task, Result> {
  readonly #exited: Promise<unknown>;
  /** Shared with the thread: `[isStopped, isBusy]`. */
  readonly #state: Int32Array;

  constructor() {
    const state = new Int32Array(new SharedArrayBuffer(8));
    super('app/deflate/deflate-worker.mjs', {
      workerData: { name: 'deflate', state },
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
    this.#state = state;
    this.#exited = new Promise((resolve) => this.worker.once('exit', resolve));
    process.once('exit', this.#stopBeforeExit);
  }

  async close(error: Error): Promise<void> {
    this.break(error);
    Atomics.store(this.#state, 0, 1);
    this.worker.postMessage('exit');
    await this.#exited;
    process.off('exit', this.#stopBeforeExit);
  }

  readonly #stopBeforeExit = (): void => {
    Atomics.store(this.#state, 0, 1);
    Atomics.wait(this.#state, 1, 1, maxTaskMs);
  };
}
