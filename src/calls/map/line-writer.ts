import { type FileHandle, stat } from 'node:fs/promises';
import { openForAppend } from '../../kernel/disk/index.ts';

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

  /** Opens the file, or creates it. */
  static async open(path: string): Promise<LineWriter> {
    const file = await openForAppend(path, 0o666);
    return new LineWriter(path, file, (await file.stat()).size);
  }

  /** Removes what follows. */
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
    const [own, named] = await Promise.all([this.file.stat(), stat(this.path).catch(() => undefined)]);
    if (named?.ino !== own.ino || named.dev !== own.dev)
      throw new FileChangedError('it was removed, renamed or replaced');
    if (own.size !== this.end) throw new FileChangedError(`it has ${own.size} bytes instead of ${this.end}`);
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

/** Somebody else has changed the file. */
export class FileChangedError extends Error {}

/** Between two looks at what else happens to the file. */
const checkMs = 1_000;
