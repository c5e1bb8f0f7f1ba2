import { existsSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openRegular, writeAtomically } from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { isRecord, parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';
import { FileChangedError, type FileLine, LineWriter, onDisk, readChunks, splitLines } from './lines.ts';
import type { MapLog, NamedResults } from './map-log.ts';

interface ResultsOptions extends NamedResults {
  log: MapLog;
  count: number;
  retryFailed: boolean;
  onFailed?: (index: number, error: MapError) => void;
}

/** What is known of an input. A failure that is called again stays until its new result is there. */
const states = { nothing: 0, success: 1, failure: 2, toRetry: 3 };

/**
 * The results of a map: one line for each input that was called, in the order in which they ended. Lines are only added. A
 * new result of a failure is a second line of its input; the first one is removed when the command ends, or when the next one begins.
 */
export class ResultsFile {
  readonly #inputs: Uint8Array;
  /** Inputs that are not called again. */
  done = 0;
  /** Inputs whose failure has no new result. */
  left = 0;
  /** How many of the results are failures. */
  failed = 0;
  /** Whether the file ended in an incomplete line, which was removed. */
  wasCut = false;
  /** Whether some lines have been replaced by later ones. */
  #hasOldLines = false;
  #lines!: LineWriter;

  private constructor(private readonly options: ResultsOptions) {
    this.#inputs = new Uint8Array(options.count);
  }

  /** Reads the file, if there is one. Throws ConflictError if it has other lines. */
  static async read(options: ResultsOptions): Promise<ResultsFile> {
    const results = new ResultsFile(options);
    if (existsSync(options.path)) await onDisk(`cannot read ${options.name}`, () => results.#readLines());
    return results;
  }

  /**
   * Opens the file, or creates it. Cuts off an incomplete last line, and ends a complete one. Throws ConflictError if it has
   * other lines.
   */
  static async open(options: ResultsOptions): Promise<ResultsFile> {
    const { name, path } = options;
    return onDisk(`cannot write ${name}`, async () => {
      const results = new ResultsFile(options);
      const lines = await LineWriter.open(path);
      try {
        const { end, isEnded, isCut } = await results.#readLines();
        results.wasCut = isCut;
        await lines.cut(end);
        if (!isEnded) await lines.add('\n');
        if (results.#hasOldLines) await results.#removeOldLines(lines);
        results.#lines = results.#hasOldLines ? await LineWriter.open(path) : lines;
        results.#hasOldLines = false;
        return results;
      } catch (error) {
        await lines.close().catch(() => {});
        throw error;
      }
    });
  }

  get size(): number {
    return this.done + this.left;
  }

  isDone(index: number): boolean {
    return this.#inputs[index] === states.success || this.#inputs[index] === states.failure;
  }

  /** Resolves when the line is on the disk. */
  async add(index: number, result: MapResult): Promise<void> {
    const { name, log } = this.options;
    await onDisk(`cannot write ${name}`, () => this.#lines.add(resultLine(index, result)));
    log.endRun(index);
    this.#note(index, result.status === 'failed' ? states.failure : states.success);
  }

  async sort(): Promise<void> {
    const { name, path, count } = this.options;
    await onDisk(`cannot sort ${name}`, () => sortByIndex(path, count));
  }

  /** Flushes what was written to the disk. Tells of failures that are left. */
  async close(): Promise<void> {
    const { name, path, onFailed } = this.options;
    await onDisk(`cannot write ${name}`, async () => {
      if (this.#hasOldLines) await this.#removeOldLines(this.#lines);
      else await this.#lines.close();
      if (this.left > 0)
        await eachLine(path, ({ known }) => {
          if (known?.error && !this.isDone(known.index)) onFailed?.(known.index, known.error);
        });
    });
  }

  #note(index: number, now: number): void {
    const before = this.#inputs[index];
    this.#hasOldLines ||= before !== states.nothing;
    this.#inputs[index] = now;
    const count = (state: number | undefined, by: 1 | -1) => {
      if (state === states.success || state === states.failure) this.done += by;
      if (state === states.toRetry) this.left += by;
      if (state === states.failure || state === states.toRetry) this.failed += by;
    };
    count(before, -1);
    count(now, 1);
  }

  /** The last line of each input stays. */
  async #removeOldLines(lines: LineWriter): Promise<void> {
    const { path, count } = this.options;
    await lines.close();
    const last = new Float64Array(count);
    await eachLine(path, ({ known, number }) => {
      if (known) last[known.index] = number;
    });
    await rewrite(path, async function* (file) {
      for await (const results of readResults(file))
        for (const { bytes, known, number } of results) if (known && last[known.index] === number) yield bytes;
    });
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

  #addKnown(line: KnownResult | undefined, number: number): void {
    const { name, count, onFailed, retryFailed, log } = this.options;
    if (!line || line.index < 0 || line.index >= count) throw notAResult(name, `line ${number} is not a result`);
    const { index, error, run } = line;
    const before = this.#inputs[index];
    if (before === states.success) throw notAResult(name, `line ${number} has the index ${index} of an earlier line`);
    const isRetried = error !== undefined && retryFailed;
    this.#note(index, isRetried ? states.toRetry : error ? states.failure : states.success);
    // Another run may have been started instead of the one that failed.
    log.endRun(index, isRetried ? run : undefined);
    if (error && !isRetried) onFailed?.(index, error);
  }
}

async function eachLine(path: string, take: (line: ReadResult) => void): Promise<void> {
  const file = await openRegular(path);
  try {
    for await (const results of readResults(file)) for (const result of results) take(result);
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
    for await (const batch of inBatches(linesOf(from))) await into.appendFile(batch);
  };
  try {
    await writeAtomically(path, copy, { flush: true });
  } finally {
    await from.close();
  }
}

async function* inBatches(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for await (const line of lines) {
    batch.push(line, lineBreak);
    bytes += line.length + 1;
    if (bytes < batchBytes) continue;
    yield Buffer.concat(batch);
    batch = [];
    bytes = 0;
  }
  yield Buffer.concat(batch);
}

/** Why an input has no result. */
export interface MapError {
  /** Name of an exit code. */
  code: string;
  message: string;
  statusCode?: number;
}

/** What became of one call. */
export type MapOutcome =
  | { status: 'succeeded'; result: unknown; encoding?: 'base64' }
  | { status: 'failed'; error: MapError };

/** With its run, if that is known. */
export type JudgedCall = MapOutcome & { run: string | null };
export type MapResult = JudgedCall & { ms: number };

/** What of a line is read again. */
export type KnownResult = NonNullable<ReturnType<typeof parseResultLine>>;

/** The line of one input in the results file. */
export function resultLine(index: number, result: MapResult): string {
  return `${stringifyJson({ index, ...result })}\n`;
}

/** Undefined if it is not the line of an input. */
export function parseResultLine(text: string) {
  const value = parseJsonOr(text, undefined);
  if (!isRecord(value)) return undefined;
  const { index, status, error, run } = value;
  if (!Number.isSafeInteger(index) || (status !== 'succeeded' && status !== 'failed')) return undefined;
  return { index: index as number, error: status === 'succeeded' ? undefined : toError(error), run };
}

function toError(error: unknown): MapError {
  const { code, message, statusCode } = Object(error) as Record<string, unknown>;
  return {
    code: String(code ?? 'failed'),
    message: String(message ?? 'failed'),
    ...(typeof statusCode === 'number' && { statusCode }),
  };
}

export interface ReadResult extends FileLine {
  /** Counts from 1. */
  number: number;
  end: number;
  known: KnownResult | undefined;
}

/**
 * The lines of a results file, some at a time. An editor may have saved it: blank lines are skipped.
 */
export async function* readResults(file: FileHandle): AsyncGenerator<ReadResult[]> {
  let number = 0;
  for await (const lines of splitLines(readChunks(file))) {
    const results: ReadResult[] = [];
    for (const line of lines) {
      number++;
      const { bytes, start, isWhole } = line;
      const text = bytes.toString('utf8');
      if (text.trim() === '') continue;
      const end = start + bytes.length + (isWhole ? 1 : 0);
      results.push({ ...line, number, end, known: parseResultLine(text) });
    }
    yield results;
  }
}
