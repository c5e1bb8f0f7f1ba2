import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openRegular, writeAtomically } from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { FileChangedError, LineWriter, onDisk } from './lines.ts';
import type { MapLog, NamedResults } from './map-log.ts';
import {
  type KnownResult,
  type MapError,
  type MapResult,
  type ReadResult,
  readResults,
  resultLine,
} from './result-line.ts';

interface ResultsOptions extends NamedResults {
  log: MapLog;
  count: number;
  retryFailed: boolean;
  onFailed: (index: number, error: MapError) => void;
}

/**
 * The results of a map: one line for each input that was called, in the order in which they ended. Lines are only added,
 * but for those that take the place of failures: they are collected in the log of the map, and moved when the command ends,
 * or when the next one begins.
 */
export class ResultsFile {
  /** The inputs that are not called again. */
  readonly done: IndexSet;
  /** Those that failed, and are called again. */
  readonly #toRetry: IndexSet;
  /** How many of these have no new result. */
  left = 0;
  /** How many of the results are failures. */
  failed = 0;
  /** Whether the file ended in an incomplete line, which was removed. */
  wasCut = false;
  #lines!: LineWriter;

  private constructor(private readonly options: ResultsOptions) {
    this.done = new IndexSet(options.count);
    this.#toRetry = new IndexSet(options.count);
  }

  /**
   * Opens the file, or creates it. Cuts off an incomplete last line, and ends a complete one. Throws ConflictError if it has
   * other lines.
   */
  static async open(options: ResultsOptions): Promise<ResultsFile> {
    const { name, path } = options;
    return onDisk(`cannot write ${name}`, async () => {
      const results = new ResultsFile(options);
      await results.#place();
      const lines = await LineWriter.open(path);
      results.#lines = lines;
      try {
        const { end, isEnded, isCut } = await results.#readLines();
        results.wasCut = isCut;
        await lines.cut(end);
        if (!isEnded) await lines.add('\n');
        if (results.left > 0) await lines.close();
        return results;
      } catch (error) {
        await lines.close().catch(() => {});
        throw error;
      }
    });
  }

  get size(): number {
    return this.done.size + this.left;
  }

  /** Resolves when the line is on the disk. */
  async add(index: number, result: MapResult): Promise<void> {
    const line = resultLine(index, result);
    const { name, log } = this.options;
    await onDisk(`cannot write ${name}`, () => (this.#isRetry ? log.addResult(line) : this.#lines.add(line)));
    log.endRun(index);
    this.done.add(index);
    if (this.#toRetry.has(index)) {
      this.left--;
      this.failed--;
    }
    if (result.status === 'failed') this.failed++;
  }

  async sort(): Promise<void> {
    const { name, path, count } = this.options;
    await onDisk(`cannot sort ${name}`, () => sortByIndex(path, count));
  }

  /** Flushes what was written to the disk, and puts new results in the place of failures. Tells of failures that are left. */
  async close(): Promise<void> {
    const { name, log, onFailed } = this.options;
    await onDisk(`cannot write ${name}`, async () => {
      if (!this.#isRetry) return this.#lines.close();
      await log.flush();
      await this.#place();
      let size = 0;
      await eachLine(this.options.path, ({ known }) => {
        if (known) size++;
        if (known?.error && !this.done.has(known.index)) onFailed(known.index, known.error);
      });
      if (size !== this.size) throw new FileChangedError(`it has ${size} results instead of ${this.size}`);
    });
  }

  /** Whether failures are called again: lines are added to the log, not to the file. */
  get #isRetry(): boolean {
    return this.#toRetry.size > 0;
  }

  /** Puts the results of the log in the place of failures. */
  async #place(): Promise<void> {
    const { path, count, log } = this.options;
    if (log.hasResults) await replaceLines(path, log.path, count);
    log.hasResults = false;
  }

  /** Where the last complete line ends, and whether its line break is there, or an incomplete line follows. */
  async #readLines() {
    const ending = { end: 0, isEnded: true, isCut: false };
    await eachLine(this.options.path, ({ known, number, isWhole, end }) => {
      // Only the last line can be without an end.
      if (!known && !isWhole) {
        ending.isCut = true;
        return;
      }
      this.#addKnown(known, number);
      ending.end = end;
      ending.isEnded = isWhole;
    });
    return ending;
  }

  #addKnown(known: KnownResult | undefined, line: number): void {
    const { name, count, onFailed, retryFailed, log } = this.options;
    if (!known || known.index < 0 || known.index >= count) throw notAResult(name, `line ${line} is none`);
    const { index, error, run } = known;
    const isSecond = this.done.has(index) || this.#toRetry.has(index);
    if (isSecond) throw notAResult(name, `line ${line} has the index ${index} of an earlier line`);
    const isRetried = error !== undefined && retryFailed;
    (isRetried ? this.#toRetry : this.done).add(index);
    // Another run may have been started instead of the one that failed.
    log.endRun(index, isRetried ? run : undefined);
    if (!error) return;
    this.failed++;
    if (isRetried) this.left++;
    else onFailed(index, error);
  }
}

/** How many results a file has, and how many are failures. None if there is no file. */
export async function countResults(path: string): Promise<{ done: number; failed: number }> {
  const found = { done: 0, failed: 0 };
  const add = ({ known }: ReadResult) => {
    if (known) found.done++;
    if (known?.error) found.failed++;
  };
  // What cannot be read is said when it is opened for new results.
  await eachLine(path, add).catch(() => {});
  return found;
}

async function eachLine(path: string, take: (line: ReadResult) => void): Promise<void> {
  const file = await openRegular(path);
  try {
    for await (const results of readResults(file)) for (const one of results) take(one);
  } finally {
    await file.close();
  }
}

function notAResult(name: string, why: string): ConflictError {
  return new ConflictError(`${name} does not have one result per line`, {
    why,
    fix: 'correct the line, or name another results file',
  });
}

const lineBreak = Buffer.from('\n');
/** Written at a time. */
const batchBytes = 1024 * 1024;

/** Puts the lines of another file in place of those of the same inputs. */
async function replaceLines(path: string, by: string, count: number): Promise<void> {
  const other = await openRegular(by);
  try {
    const replaced = new IndexSet(count);
    for await (const results of readResults(other))
      for (const { known } of results) if (known) replaced.add(known.index);
    if (replaced.size > 0) await rewrite(path, (file) => linesInstead(file, other, replaced));
  } finally {
    await other.close();
  }
}

async function* linesInstead(file: FileHandle, other: FileHandle, replaced: IndexSet): AsyncGenerator<Buffer> {
  for await (const results of readResults(file)) {
    const staying = results.filter(({ known, isWhole }) => (known ? !replaced.has(known.index) : isWhole));
    for (const { bytes } of staying) yield bytes;
  }
  for await (const results of readResults(other)) for (const { bytes, known } of results) if (known) yield bytes;
}

/** Sorts the lines of a file that has a line for each input. Holds where each line is, not the lines. */
async function sortByIndex(path: string, count: number): Promise<void> {
  const starts = new Float64Array(count);
  const lengths = new Float64Array(count);
  let isSorted = true;
  let last = -1;
  await eachLine(path, ({ bytes, start, known }) => {
    const index = known?.index ?? 0;
    starts[index] = start;
    lengths[index] = bytes.length;
    isSorted &&= index > last;
    last = index;
  });
  if (isSorted) return;
  await rewrite(path, async function* ({ fd }) {
    for (let index = 0; index < count; index++) {
      // At once: a promise for each of a million lines takes longer than its read.
      const line = Buffer.alloc(lengths[index] as number);
      const bytes = readSync(fd, line, 0, line.length, starts[index] as number);
      if (bytes < line.length) throw new FileChangedError('it was cut while it was sorted');
      yield line;
    }
  });
}

/** Replaces a file by other lines of it, all at once. */
async function rewrite(path: string, linesOf: (file: FileHandle) => AsyncIterable<Buffer>): Promise<void> {
  const from = await openRegular(path);
  const copy = async (into: FileHandle) => {
    let batch: Buffer[] = [];
    let bytes = 0;
    const write = async () => {
      await into.appendFile(Buffer.concat(batch));
      batch = [];
      bytes = 0;
    };
    for await (const line of linesOf(from)) {
      batch.push(line, lineBreak);
      bytes += line.length + 1;
      if (bytes >= batchBytes) await write();
    }
    await write();
  };
  try {
    await writeAtomically(path, copy, { flush: true });
  } finally {
    await from.close();
  }
}

/** A set of numbers from 0 up to a limit, in one bit each. */
class IndexSet {
  readonly #bits: Uint8Array;
  #size = 0;

  constructor(readonly limit: number) {
    this.#bits = new Uint8Array(Math.ceil(limit / 8));
  }

  get size(): number {
    return this.#size;
  }

  has(index: number): boolean {
    return ((this.#bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  add(index: number): void {
    if (this.has(index)) return;
    this.#bits[index >> 3] = (this.#bits[index >> 3] ?? 0) | (1 << (index & 7));
    this.#size++;
  }
}
