// @ts-check
/**
 * Reads and compresses a batch of small files. What is known of them goes into columns: an object for each would take as
 * long to pass to another thread as the file takes to read.
 *
 * @typedef {string | { text: string }} Source absolute path of a file, or generated content
 * @typedef {{ kind: 'files', sources: Source[], store: boolean[], known?: string[], buffer: ArrayBuffer }} FilesTask
 *   `store`: which files are not to be compressed; `known`: the SHA-256 of contents of which a cache has the data
 *
 * @typedef {object} PackedFiles
 * @property {Float64Array} facts a row of {@link columns} for each file
 * @property {string} sha256 in hex, one after the other
 * @property {Map<number, Unread>} unread why files have no data, by their number
 *
 * @typedef {object} SmallResult
 * @property {PackedFiles} files
 * @property {number} length
 * @property {ArrayBuffer} buffer begins with `length` bytes of data, not in the order of the files
 */
/** @import { Read, Unread } from './read-small-file.mjs' */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Contents, readSmallFile } from './read-small-file.mjs';
import { ReusedStream } from './reused-stream.mjs';

/** What is known of a file: where its data is in the buffer, and what it is (see {@link forms}). */
export const columns = { at: 0, length: 1, form: 2, size: 3, crc32: 4 };
export const columnCount = 5;

/** The data of a file: to be stored as it is, deflated, or none because the content is known. */
export const forms = { stored: 0, deflated: 1, known: 2 };

/** Reading and checking what is kept of a smaller file takes no longer than reading the file. */
export const tinyBytes = 4096;

/**
 * @param {FilesTask} task
 * @returns {SmallResult}
 */
export function packFiles({ sources, store, known = [], buffer }) {
  contents.clear();
  const found = sources.map((source) => readSmallFile(source, contents, buffer.byteLength));
  const batch = new Batch(found, buffer);
  for (const index of batch.byLength()) batch.add(index, store[index] ?? false, known[index]);
  return batch.result();
}

const contents = new Contents();
const stream = new ReusedStream();

class Batch {
  #facts;
  /** @type {string[]} */
  #sha256 = [];
  /** @type {PackedFiles['unread']} */
  #unread = new Map();
  #length = 0;
  #target;

  /**
   * @param {readonly Read[]} found
   * @param {ArrayBuffer} buffer
   */
  constructor(found, buffer) {
    this.found = found;
    this.#target = new Uint8Array(buffer);
    this.#facts = new Float64Array(found.length * columnCount);
  }

  /** As the stream is fastest. */
  byLength() {
    const length = (/** @type {number} */ index) => {
      const read = this.found[index];
      return read && 'content' in read ? read.content.length : 0;
    };
    return new Uint32Array(this.found.keys()).sort((a, b) => length(a) - length(b));
  }

  /**
   * Adds the content compressed, or as it is if that is not smaller.
   * @param {number} index
   * @param {boolean} store do not compress
   * @param {string} [known] the SHA-256 of a content that need not be added
   */
  add(index, store, known) {
    const read = this.found[index];
    this.#sha256[index] = unknownSha256;
    if (!read || !('content' in read)) {
      if (read) this.#unread.set(index, read);
      return;
    }
    const { content } = read;
    const { length: size } = content;
    const sha256 = hash('sha256', content);
    this.#sha256[index] = sha256;
    this.#facts[index * columnCount + columns.crc32] = crc32(content);
    if (sha256 === known) return this.#append(index, content.subarray(0, 0), size, forms.known);
    const deflated = store || size === 0 ? content : stream.deflate(content);
    if (deflated.length < size) this.#append(index, deflated, size, forms.deflated);
    else this.#append(index, content, size, forms.stored);
  }

  /**
   * @param {number} index
   * @param {Uint8Array} data
   * @param {number} size
   * @param {number} form
   */
  #append(index, data, size, form) {
    const at = this.#length;
    this.#length += data.length;
    if (this.#length > this.#target.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#target.subarray(0, at));
      this.#target = larger;
    }
    this.#target.set(data, at);
    const row = index * columnCount;
    this.#facts[row + columns.at] = at;
    this.#facts[row + columns.length] = data.length;
    this.#facts[row + columns.form] = form;
    this.#facts[row + columns.size] = size;
  }

  /** @returns {SmallResult} */
  result() {
    const files = { facts: this.#facts, sha256: this.#sha256.join(''), unread: this.#unread };
    return { files, length: this.#length, buffer: this.#target.buffer };
  }
}

const unknownSha256 = '0'.repeat(64);
