import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

/** Bytes read from disk at once. */
const windowBytes = 1024 ** 2;

/** A file read in large blocks: the directory of a zip is otherwise two reads of the disk for each entry. */
export class BufferedFile extends RandomAccessReader {
  readonly size: number;
  readonly #path: string;
  readonly #descriptor: number;
  /** The one used last is first. There are two, as entries of the directory and their data are read in turn. */
  #windows: Window[] = [];

  constructor(path: string) {
    super();
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  /** Bytes from `start` on. Not to be kept or changed. Throws when the file ends before. */
  slice(start: number, length: number): Buffer {
    if (start + length > this.size) throw new Error('it is cut off');
    const { from, bytes } = this.#windowOf(start, length);
    return bytes.subarray(start - from, start - from + length);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let problem: Error | null = null;
    try {
      this.slice(position, length).copy(buffer, offset);
    } catch (error) {
      problem = error as Error;
    }
    callback(problem);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.#path, { start, end: end - 1 });
  }

  closeFile(): void {
    closeSync(this.#descriptor);
  }

  #windowOf(start: number, length: number): Window {
    const [last, other] = this.#windows;
    if (last && holds(last, start, length)) return last;
    const window = other && holds(other, start, length) ? other : this.#load(start, length);
    this.#windows = last ? [window, last] : [window];
    return window;
  }

  #load(start: number, length: number): Window {
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(length, windowBytes), this.size - start));
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(this.#descriptor, bytes, filled, bytes.length - filled, start + filled);
      if (read === 0) throw new Error('it is cut off');
      filled += read;
    }
    return { from: start, bytes };
  }
}

interface Window {
  from: number;
  bytes: Buffer;
}

function holds({ from, bytes }: Window, start: number, length: number): boolean {
  return start >= from && start + length <= from + bytes.length;
}
