// @ts-check
/**
 * Reads files into memory that is used again for the next task.
 *
 * @typedef {{ file: string, store: boolean } | { text: string, store: boolean }} SmallFile
 * @typedef {{ content: Uint8Array, store: boolean, identity?: string }} Content
 *   `identity`: what identified the file before it was read
 * @typedef {{ error: { code: string, message: string } } | { grown: true }} Unread
 * @typedef {Content | Unread} Read
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * @param {SmallFile} file
 * @param {{ contents: Contents, maxBytes: number, identify: boolean }} options larger files are not read
 * @returns {Read} the content is valid until `contents` is cleared
 */
export function readSmallFile(file, { contents, maxBytes, identify }) {
  const { store } = file;
  if ('text' in file) return { content: Buffer.from(file.text), store };
  try {
    const { content, ...known } = readUpTo(maxBytes, file.file, contents, identify);
    return content ? { content, store, ...known } : { grown: true };
  } catch (cause) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { error: { code, message } };
  }
}

export class Contents {
  #memory = new Uint8Array(0);
  #used = 0;

  clear() {
    this.#used = 0;
  }

  /** @param {number} length */
  take(length) {
    if (this.#used + length > this.#memory.length) {
      this.#memory = new Uint8Array(Math.max(length, usualBytes));
      this.#used = 0;
    }
    this.#used += length;
    return this.#memory.subarray(this.#used - length, this.#used);
  }
}

/** The contents of a task, unless files have grown. */
const usualBytes = 2 ** 20;

/**
 * Reads the current size of the file, without what is appended meanwhile. No content if it is larger than `maxBytes`.
 * @param {number} maxBytes
 * @param {string} path
 * @param {Contents} contents
 * @param {boolean} identify
 * @returns {{ identity?: string, content?: Uint8Array }}
 */
function readUpTo(maxBytes, path, contents, identify) {
  // As in disk/regular-file.ts: opening a FIFO must not block.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no longer a regular file');
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    // As in packing-cache/file-identity.ts.
    const known = identify ? { identity: `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}` } : {};
    if (size > maxBytes) return known;
    const content = contents.take(size);
    let read = 0;
    while (read < size) {
      const count = readSync(file, content, read, size - read, read);
      if (count === 0) break;
      read += count;
    }
    return { ...known, content: content.subarray(0, read) };
  } finally {
    closeSync(file);
  }
}
