// @ts-check
/**
 * Reads files into memory that is used again for the next task.
 *
 * @typedef {{ content: Uint8Array }} Content
 * @typedef {{ error: { code: string, message: string } } | { grown: true }} Unread
 * @typedef {Content | Unread} Read
 */
/** @import { Source } from './batch.mjs' */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * @param {Source} source
 * @param {Contents} contents
 * @param {number} maxBytes larger files are not read
 * @returns {Read} the content is valid until `contents` is cleared
 */
export function readSmallFile(source, contents, maxBytes) {
  if (typeof source !== 'string') return { content: Buffer.from(source.text) };
  try {
    return readUpTo(maxBytes, source, contents) ?? { grown: true };
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
 * Reads the current size of the file, without what is appended meanwhile. Undefined if it is larger than `maxBytes`.
 * @param {number} maxBytes
 * @param {string} path
 * @param {Contents} contents
 * @returns {Content | undefined}
 */
function readUpTo(maxBytes, path, contents) {
  // As in disk/regular-file.ts: opening a FIFO must not block.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no longer a regular file');
    const { size } = stats;
    if (size > maxBytes) return undefined;
    const content = contents.take(size);
    let read = 0;
    while (read < size) {
      const count = readSync(file, content, read, size - read, read);
      if (count === 0) break;
      read += count;
    }
    return { content: content.subarray(0, read) };
  } finally {
    closeSync(file);
  }
}
