import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

const windowBytes = 1024 ** 2;

/** Reads a file in large blocks: yauzl alone reads twice from disk for each entry. */
export class BlockReader extends RandomAccessReader {
  readonly size: number;
  readonly #descriptor: number;
  /** Most recently used first. Two, because the zip's directory and its data are read alternately. */
  #windows: Window[] = [];

  constructor(private readonly path: string) {
    super();
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  /** The returned buffer is valid until the next call. Throws if the file is too short. */
  slice(start: number, length: number): Buffer {
    if (start + length > this.size) throw new Error('it is truncated');
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
    return createReadStream(this.path, { start, end: end - 1 });
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
      if (read === 0) throw new Error('it is truncated');
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
