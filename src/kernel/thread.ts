import type { Worker, WorkerOptions } from 'node:worker_threads';
import { startOwnWorker } from '../own-files.ts';

/** What a thread answers to `{ id, task }`. */
interface ThreadReply<Result> {
  id: number;
  result?: Result;
  error?: { code: string; message: string };
}

/** A thread that does tasks of one kind. Its module is a file of the program. */
export class Thread<Task, Result> {
  protected readonly worker: Worker;
  readonly #waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();
  #lastId = 0;
  #broken: Error | undefined;

  constructor(module: string, options: WorkerOptions) {
    this.worker = startOwnWorker(module, { ...options, execArgv: [] });
    this.worker.on('message', ({ id, result, error }: ThreadReply<Result>) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting?.resolve(result as Result);
    });
    this.worker.on('error', (error) => this.break(error));
  }

  get load(): number {
    return this.#waiting.size;
  }

  run(task: Task, transferred: ArrayBuffer[] = []): Promise<Result> {
    if (this.#broken) return Promise.reject(this.#broken);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, task }, transferred);
    });
  }

  /** Unfinished and later tasks fail with the first of these errors. */
  break(error: Error): void {
    this.#broken ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#broken);
    this.#waiting.clear();
  }
}

export function leastBusy<T extends { load: number }>(threads: readonly T[]): T | undefined {
  return threads.reduce<T | undefined>((best, thread) => (best && best.load <= thread.load ? best : thread), undefined);
}
