import type { FileHandle } from 'node:fs/promises';
import { lockHolder, openForAppend, openRegular, takeLock, toDiskErrorOf } from '../../disk/index.ts';
import { ConflictError } from '../../errors.ts';
import { IndexSet } from './index-set.ts';
import { readChunks, splitLines } from './lines.ts';
import { type MapError, type MapResult, parseResultLine, resultLine } from './result-line.ts';
import { dropFailed, sortByIndex } from './rewrite-results.ts';

export interface ResultsOptions {
  /** As the user named it, and its absolute path. */
  name: string;
  path: string;
  /** The number of inputs. */
  count: number;
  /** Forget the results that failed. */
  retryFailed: boolean;
  /** Told of each failure that stays. */
  onFailed: (index: number, error: MapError) => void;
}

/** Locks a results file while `work` is done: two commands never write to one. Throws ConflictError. */
export async function whileLocked<T>({ name, path }: Pick<ResultsOptions, 'name' | 'path'>, work: () => Promise<T>) {
  const lock = await onDisk(`cannot lock ${name}`, async () => takeLock(`${path}.lock`));
  if (!lock) {
    const holder = lockHolder(`${path}.lock`);
    throw new ConflictError(`${name} is being written by another gantry map`, {
      ...(holder && { why: `its process is ${holder.pid}` }),
      fix: 'wait until it ends, or name another results file',
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * The results of a map: one line for each input that was called, in the order in which they ended. Lines are only
 * added, each in one piece, so that a file whose writer was killed has at most one incomplete line, its last.
 */
export class ResultsFile {
  /** The inputs that have a result. */
  readonly done: IndexSet;
  #failed = 0;
  #waiting: { line: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #isWriting = false;

  private constructor(
    private readonly options: ResultsOptions,
    private readonly file: FileHandle,
  ) {
    this.done = new IndexSet(options.count);
  }

  /** Opens the file, or creates it. Cuts off an incomplete last line. Throws ConflictError if it has other lines. */
  static async open(options: ResultsOptions): Promise<ResultsFile> {
    const { name, path, retryFailed } = options;
    return onDisk(`cannot write ${name}`, async () => {
      const file = await openForAppend(path, 0o666);
      try {
        const { size } = await file.stat();
        const results = new ResultsFile(options, file);
        const end = await results.#readLines();
        if (end < size) await file.truncate(end);
        if (!retryFailed || results.failed === 0) return results;
        await file.close();
        await dropFailed(path);
        return await ResultsFile.open({ ...options, retryFailed: false });
      } catch (error) {
        await file.close().catch(() => {});
        throw error;
      }
    });
  }

  /** How many of the results are failures. */
  get failed(): number {
    return this.#failed;
  }

  /** Resolves when the line is in the file. */
  add(index: number, result: MapResult): Promise<void> {
    return new Promise((resolve, reject) => {
      const written = () => {
        this.done.add(index);
        if (result.status === 'failed') this.#failed++;
        resolve();
      };
      this.#waiting.push({ line: resultLine(index, result), resolve: written, reject });
      if (!this.#isWriting) this.#write();
    });
  }

  /** Puts the lines in the order of the inputs. */
  async sort(): Promise<void> {
    const { name, path, count } = this.options;
    await onDisk(`cannot sort ${name}`, () => sortByIndex(path, count));
  }

  /** Flushes what was written to the disk. */
  async close(): Promise<void> {
    const { name } = this.options;
    await onDisk(`cannot write ${name}`, () => this.file.sync().finally(() => this.file.close()));
  }

  /** All lines that wait go into one write. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        await this.file.appendFile(lines.map(({ line }) => line).join(''));
        for (const { resolve } of lines) resolve();
      } catch (cause) {
        for (const { reject } of lines) reject(toDiskErrorOf(`cannot write ${this.options.name}`, cause));
      }
    }
    this.#isWriting = false;
  }

  /** Returns where the last complete line ends. */
  async #readLines(): Promise<number> {
    const { path, name, count, onFailed, retryFailed } = this.options;
    const file = await openRegular(path);
    let number = 0;
    let end = 0;
    try {
      for await (const lines of splitLines(readChunks(file))) {
        for (const { bytes, start, isWhole } of lines) {
          number++;
          if (!isWhole) return end;
          const known = parseResultLine(bytes);
          if (!known || known.index < 0 || known.index >= count) throw notAResult(name, `line ${number} is none`);
          if (!this.done.add(known.index))
            throw notAResult(name, `input ${known.index} has a second one in line ${number}`);
          if (known.error) this.#failed++;
          if (known.error && !retryFailed) onFailed(known.index, known.error);
          end = start + bytes.length + 1;
        }
      }
      return end;
    } finally {
      await file.close();
    }
  }
}

function notAResult(name: string, why: string): ConflictError {
  return new ConflictError(`${name} does not have one result per line`, {
    why,
    fix: 'name another results file, or remove this one',
  });
}

/** What is a system error becomes one of ours that names the file. */
async function onDisk<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw toDiskErrorOf(what, cause);
  }
}
