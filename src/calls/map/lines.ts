import { type FileHandle, stat } from 'node:fs/promises';
import { openForAppend, toDiskErrorOf } from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';

export interface FileLine {
  bytes: Buffer;
  /** Where it begins in the file. */
  start: number;
  /** False for the last line of a file that ends without a line break. */
  isWhole: boolean;
}

/** A chunk of short lines is thousands of inputs, which are in memory until the last one is called. */
const chunkBytes = 64 * 1024;
const lineBreak = 0x0a;
const byteOrderMark = Buffer.from('\ufeff');

/** Reads a file from its beginning. Before each chunk is used, calls `check`. */
export async function* readChunks(file: FileHandle, check = async () => {}): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    await check();
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Splits at line breaks: the lines that end in each chunk, then what is left at the end. A byte-order mark is skipped. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileLine[]> {
  let rest: Buffer[] = [];
  let at = 0;
  const take = (tail: Buffer, isWhole: boolean): FileLine => {
    const bytes = rest.length > 0 ? Buffer.concat([...rest, tail]) : tail;
    rest = [];
    const start = at === 0 && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : at;
    const line = { bytes: bytes.subarray(start - at), start, isWhole };
    at += bytes.length + 1;
    return line;
  };
  for await (const chunk of chunks) {
    const lines: FileLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineBreak); end !== -1; end = chunk.indexOf(lineBreak, from)) {
      lines.push(take(chunk.subarray(from, end), true));
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    yield lines;
  }
  if (rest.length > 0) yield [take(Buffer.alloc(0), false)];
}

/**
 * A file to which lines are added, each in one piece: if its writer is killed, it has at most one incomplete line, its last.
 * Throws system errors.
 */
export class LineWriter {
  #waiting: { line: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #isWriting = false;
  /** Whether something incomplete may follow the last line. */
  #isTorn = false;
  #checkedAt = performance.now();

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    /** Where the last line ends. */
    private end: number,
  ) {}

  static async open(path: string): Promise<LineWriter> {
    const file = await openForAppend(path, 0o666);
    return new LineWriter(path, file, (await file.stat()).size);
  }

  async cut(end: number): Promise<void> {
    if (end === this.end) return;
    this.end = end;
    await this.#mend();
  }

  /** Resolves when the text, which ends with a line break, is in the file. */
  add(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject });
      if (!this.#isWriting) this.#write();
    });
  }

  /** Flushes what was written to the disk. Throws a FileChangedError if it is not all there under its name. */
  async close(): Promise<void> {
    try {
      await this.file.sync();
      await this.#check();
    } finally {
      await this.file.close();
    }
  }

  /** Another program may remove, rename, cut or replace the file: nobody would find the lines. */
  async #check(): Promise<void> {
    this.#checkedAt = performance.now();
    const [opened, named] = await Promise.all([this.file.stat(), stat(this.path).catch(() => undefined)]);
    if (named?.ino !== opened.ino || named.dev !== opened.dev)
      throw new FileChangedError('it was removed, renamed or replaced');
    if (opened.size !== this.end) throw new FileChangedError(`it has ${opened.size} bytes instead of ${this.end}`);
  }

  /** All lines that wait go into one write. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(lines.map(({ line }) => line).join(''));
        for (const { resolve } of lines) resolve();
      } catch (error) {
        for (const { reject } of lines) reject(error);
      }
    }
    this.#isWriting = false;
  }

  /** Adds all of a text or, on a full disk, nothing: the next line must not follow half a line. */
  async #append(text: string): Promise<void> {
    if (this.#isTorn) await this.#mend();
    if (performance.now() - this.#checkedAt > checkMs) await this.#check();
    this.#isTorn = true;
    try {
      await this.file.appendFile(text);
    } catch (error) {
      await this.#mend().catch(() => {});
      throw error;
    }
    this.#isTorn = false;
    this.end += Buffer.byteLength(text);
  }

  async #mend(): Promise<void> {
    const { size } = await this.file.stat();
    if (size > this.end) await this.file.truncate(this.end);
    this.#isTorn = false;
  }
}

export class FileChangedError extends Error {}

/** Between two looks at what else happens to the file. */
const checkMs = 1_000;

/** Another program has changed the results file, so results may be missing from it. */
export class ResultsChangedError extends ConflictError {}

/** What is a system error becomes one of ours that names the file. */
export async function onDisk<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FileChangedError) {
      throw new ResultsChangedError(`${what}: another program has changed it`, {
        why: cause.message,
        fix: 'put it back, or run the same command again: inputs without a line in it are called again',
      });
    }
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw toDiskErrorOf(what, cause);
  }
}
