// @ts-check
/**
 * Reads and compresses a batch of small files.
 *
 * @typedef {string | { text: string }} Source absolute path of a file, or generated content
 * @typedef {{ kind: 'files', sources: Source[], store: boolean[], known?: string[], buffer: ArrayBuffer }} FilesTask
 *   `store`: which files are not to be compressed; `known`: the SHA-256 of contents of which a cache has the data
 *
 * @typedef {{ size: number, crc32: number, sha256: string, deflated: boolean, at: number, length: number }} Placed
 *   what a file goes into the archive as: `length` bytes of the buffer from `at` on
 * @typedef {Placed | Unread | 'known'} Packed
 *
 * @typedef {object} SmallResult
 * @property {Packed[]} files in the order of the sources
 * @property {number} length
 * @property {ArrayBuffer} buffer begins with `length` bytes of data, not in the order of the files
 */
/** @import { Read, Unread } from './read-small-file.mjs' */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Contents, readSmallFile } from './read-small-file.mjs';
import { ReusedStream } from './reused-stream.mjs';

/** Reading and checking what is kept of a smaller file takes no longer than reading the file. */
export const tinyBytes = 4096;

/**
 * @param {FilesTask} task
 * @returns {SmallResult}
 */
export function packFiles({ sources, store, known = [], buffer }) {
  contents.clear();
  const found = sources.map((source) => readSmallFile(source, contents, buffer.byteLength));
  const data = new GrowingBuffer(buffer);
  /** @type {Packed[]} */
  const files = [];
  // The stream is fastest in this order.
  const byLength = [...found.entries()].sort(([, one], [, other]) => lengthOf(one) - lengthOf(other));
  for (const [index, read] of byLength) files[index] = pack(read, store[index] ?? false, known[index], data);
  return { files, length: data.length, buffer: data.buffer };
}

const contents = new Contents();
const stream = new ReusedStream();

/** @param {Read} read */
const lengthOf = (read) => ('content' in read ? read.content.length : 0);

/**
 * Adds the content compressed, or as it is if that is not smaller.
 * @param {Read} read
 * @param {boolean} store do not compress
 * @param {string | undefined} known the SHA-256 of a content that need not be added
 * @param {GrowingBuffer} data
 * @returns {Packed}
 */
function pack(read, store, known, data) {
  if (!('content' in read)) return read;
  const { content } = read;
  const { length: size } = content;
  const sha256 = hash('sha256', content);
  if (sha256 === known) return 'known';
  const smaller = store || size === 0 ? content : stream.deflate(content);
  const deflated = smaller.length < size;
  const packed = deflated ? smaller : content;
  return { size, crc32: crc32(content), sha256, deflated, at: data.append(packed), length: packed.length };
}

class GrowingBuffer {
  length = 0;
  #bytes;

  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.#bytes = new Uint8Array(buffer);
  }

  get buffer() {
    return this.#bytes.buffer;
  }

  /**
   * Returns where it is.
   * @param {Uint8Array} data
   */
  append(data) {
    const at = this.length;
    this.length += data.length;
    if (this.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    this.#bytes.set(data, at);
    return at;
  }
}
