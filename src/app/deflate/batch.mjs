// @ts-check
/**
 * Reads and compresses a batch of small files. What is known of them goes into columns: an object for each would take as
 * long to pass to another thread as the file takes to read.
 *
 * @typedef {string | { text: string }} Source absolute path of a file, or generated content
 * @typedef {{ salt: string, hasContents: boolean }} CacheFacts
 *   the salt of its keys, and whether there is anything to be found in it
 * @typedef {{ kind: 'files', sources: Source[], store: boolean[], cache?: CacheFacts | undefined, buffer: ArrayBuffer }} FilesTask
 *   `store`: which files are not to be compressed
 * @typedef {{ kind: 'contents', lengths: number[], buffer: ArrayBuffer }} ContentsTask
 *   `buffer` holds contents of small files, concatenated
 *
 * @typedef {object} PackedFiles
 * @property {Float64Array} facts a row of {@link columns} for each file
 * @property {string} sha256 in hex, one after the other
 * @property {Map<number, Unread>} unread why files have no data, by their number
 * @property {Map<number, string>} keys under which a cache keeps what the data of a file compresses to, by its number
 * @property {{ key: string, length: number }} [tiny] where data ends that a cache keeps as one, and the key of that
 *
 * @typedef {object} SmallResult
 * @property {PackedFiles} files
 * @property {number} length
 * @property {ArrayBuffer} buffer begins with `length` bytes of data, not in the order of the files
 */
/** @import { Read, Unread } from './read-small-file.mjs' */
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Contents, readSmallFile } from './read-small-file.mjs';
import { ReusedStream } from './reused-stream.mjs';

/**
 * What is known of a file: where its data is in the buffer, what it is (see {@link forms}), and what identified the file
 * before it was read.
 */
export const columns = { at: 0, length: 1, form: 2, size: 3, crc32: 4, dev: 5, ino: 6, mtimeMs: 7, ctimeMs: 8 };
export const columnCount = 9;

/** The data of a file: to be stored as it is, deflated, or its content, because a cache may have it deflated. */
export const forms = { stored: 0, deflated: 1, content: 2 };

/** Looking for a smaller content would take as long as compressing it, and a record for each as long as both. */
export const tinyBytes = 4096;

/**
 * @param {FilesTask} task
 * @returns {SmallResult}
 */
export function packFiles({ sources, store, cache, buffer }) {
  contents.clear();
  const found = sources.map((source) => readSmallFile(source, contents, buffer.byteLength));
  const batch = new Batch(found, buffer, cache);
  for (const index of batch.byLength()) batch.add(index, store[index] ?? false);
  return batch.result();
}

/**
 * @param {ContentsTask} task
 * @returns {SmallResult}
 */
export function packContents({ lengths, buffer }) {
  contents.clear();
  let at = 0;
  const found = lengths.map((length) => {
    const content = contents.take(length);
    content.set(new Uint8Array(buffer, at, length));
    at += length;
    return { content };
  });
  const batch = new Batch(found, buffer);
  for (const index of batch.byLength()) batch.addData(index, /** @type {Uint8Array} */ (found[index]?.content), false);
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
  /** @type {PackedFiles['keys']} */
  #keys = new Map();
  #tinyLength = 0;
  #length = 0;
  #target;

  /**
   * @param {readonly Read[]} found
   * @param {ArrayBuffer} buffer
   * @param {CacheFacts} [cache]
   */
  constructor(found, buffer, cache) {
    this.found = found;
    this.cache = cache;
    this.#target = new Uint8Array(buffer);
    this.#facts = new Float64Array(found.length * columnCount);
  }

  /** As the stream is fastest. What is tiny comes first. */
  byLength() {
    const length = (/** @type {number} */ index) => {
      const read = this.found[index];
      return read && 'content' in read ? read.content.length : 0;
    };
    return new Uint32Array(this.found.keys()).sort((a, b) => length(a) - length(b));
  }

  /**
   * @param {number} index
   * @param {boolean} store do not compress
   */
  add(index, store) {
    const read = this.found[index];
    this.#sha256[index] = unknownSha256;
    if (!read || !('content' in read)) {
      if (read) this.#unread.set(index, read);
      return;
    }
    const { content, stats } = read;
    const sha256 = hash('sha256', content);
    this.#sha256[index] = sha256;
    const row = index * columnCount;
    this.#facts[row + columns.crc32] = crc32(content);
    if (stats) {
      this.#facts[row + columns.dev] = stats.dev;
      this.#facts[row + columns.ino] = stats.ino;
      this.#facts[row + columns.mtimeMs] = stats.mtimeMs;
      this.#facts[row + columns.ctimeMs] = stats.ctimeMs;
    }
    const isTiny = content.length <= tinyBytes;
    const isKept = this.cache !== undefined && stats !== undefined && !isTiny && !store;
    if (isKept) this.#keys.set(index, hash('sha256', `${this.cache?.salt}file\n${sha256}`, 'base64'));
    if (isKept && this.cache?.hasContents) this.#append(index, content, content.length, forms.content);
    else this.addData(index, content, store);
    if (isTiny) this.#tinyLength = this.#length;
  }

  /**
   * Adds the content compressed, or as it is if that is not smaller.
   * @param {number} index
   * @param {Uint8Array} content
   * @param {boolean} store
   */
  addData(index, content, store) {
    const { length: size } = content;
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
    const files = {
      facts: this.#facts,
      sha256: this.#sha256.join(''),
      unread: this.#unread,
      keys: this.#keys,
      ...(this.cache && { tiny: { key: this.#tinyKey(this.cache.salt), length: this.#tinyLength } }),
    };
    return { files, length: this.#length, buffer: this.#target.buffer };
  }

  /** @param {string} salt */
  #tinyKey(salt) {
    const data = this.#target.subarray(0, this.#tinyLength);
    return createHash('sha256').update(salt).update('tiny\n').update(data).digest('base64');
  }
}

const unknownSha256 = '0'.repeat(64);
