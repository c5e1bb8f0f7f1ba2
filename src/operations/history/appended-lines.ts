import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from '../../errors.ts';

const lineBreak = 10;

/**
 * The lines of a file that is only appended to, or replaced as a whole, by any process. What was read of it is kept:
 * only what is new is read again. Empty lines are none.
 */
export class AppendedLines<T> {
  /** Of all lines but the last, which another process may still be writing. */
  #values: T[] = [];
  /** Where the last line begins, in bytes. */
  #end = 0;
  #file = '';
  #reading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly parse: (line: string) => T,
  ) {}

  /** Which file it was when it was last read: it may have another name by now. Empty: none. */
  get file(): string {
    return this.#file;
  }

  /** Throws an error of the disk, unless the file is not there. */
  read(): Promise<T[]> {
    const reading = this.#reading.catch(() => {}).then(() => this.#readNew());
    this.#reading = reading;
    return reading;
  }

  async #readNew(): Promise<T[]> {
    const handle = await openIfThere(this.path);
    if (!handle) {
      this.#beginWith('');
      return [];
    }
    try {
      const { ino, birthtimeMs, size } = await handle.stat();
      const file = `${ino} ${birthtimeMs}`;
      if (file !== this.#file || size < this.#end) this.#beginWith(file);
      const bytes = await readFrom(handle, this.#end, size);
      const last = Math.max(0, bytes.lastIndexOf(lineBreak));
      for (const value of this.#parseAll(bytes.subarray(0, last))) this.#values.push(value);
      this.#end += last;
      return [...this.#values, ...this.#parseAll(bytes.subarray(last))];
    } finally {
      await handle.close();
    }
  }

  #beginWith(file: string): void {
    this.#file = file;
    this.#values = [];
    this.#end = 0;
  }

  #parseAll(bytes: Buffer): T[] {
    const lines = bytes.toString('utf8').split('\n');
    return lines.filter((line) => line.trim() !== '').map(this.parse);
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

async function readFrom(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(end - start);
  let read = 0;
  while (read < buffer.length) {
    const { bytesRead } = await handle.read(buffer, read, buffer.length - read, start + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
