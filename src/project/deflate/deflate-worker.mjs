// @ts-check
/**
 * Reads small files and compresses, on any thread. Plain JavaScript without imports of ours, because workers are loaded
 * from this file before and after bundling. The result does not depend on the thread.
 *
 * Each task brings a buffer, which the result returns, so that memory is allocated once.
 *
 * @typedef {{ kind: 'files', files: SmallFile[], salt?: string | undefined, buffer: ArrayBuffer }} FilesTask
 *   with a salt, files are read but not compressed, and have the key under which a cache may know what they compress to
 * @typedef {{ file: string, store: boolean } | { text: string, store: boolean }} SmallFile
 * @typedef {{ kind: 'contents', lengths: number[], buffer: ArrayBuffer }} ContentsTask
 *   `buffer` holds contents of small files, concatenated
 * @typedef {{ kind: 'block', dictionary: number, length: number, last: boolean, buffer: ArrayBuffer }} BlockTask
 *   `buffer` holds `dictionary` bytes that precede the block in its file, then the `length` bytes to compress
 * @typedef {Omit<BlockTask, 'kind'> & { kind: 'hash', salt: string }} HashTask
 * @typedef {{ kind: 'sums', id: number, length: number, last: boolean, buffer: ArrayBuffer }} SumsTask
 *   a block of a file that is stored: all blocks of an id go to one thread, in their order
 * @typedef {FilesTask | ContentsTask | BlockTask | HashTask | SumsTask} Task
 *
 * @typedef {{ size: number, compressed: number, crc32: number, sha256: string, deflated: boolean }} Shrunk
 * @typedef {Shrunk & { identity?: string, key?: string }} Packed
 *   `identity`: what identified the file before it was read; no `key` if it is not to be compressed
 * @typedef {{ error: { code: string, message: string } } | { grown: true } | Packed} FileResult
 * @typedef {{ files: FileResult[], length: number, buffer: ArrayBuffer, key?: string, sums?: Sums }} Result
 *   the first `length` bytes of `buffer` are the data of all files, concatenated; a hash has its key instead of data, and
 *   the last block of a stored file the checksums of the file
 * @typedef {{ crc32: number, sha256: string }} Sums
 */
import { createHash, hash } from 'node:crypto';
import { closeSync, constants as fileConstants, fstatSync, openSync, readSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Level 9 takes three times as long for 0.4 %. */
export const deflateLevel = 6;

/**
 * @param {Task} task
 * @returns {Result}
 */
export function runTask(task) {
  if (task.kind === 'files') return packFiles(task);
  if (task.kind === 'contents') return packContents(task);
  if (task.kind === 'sums') return addToSums(task);
  return task.kind === 'hash' ? hashBlock(task) : deflateBlock(task);
}

/** @param {FilesTask} task */
function packFiles({ files, salt, buffer }) {
  const joined = new Joined(buffer);
  for (const file of files) joined.add(packFile(file, salt, buffer.byteLength));
  return joined.result();
}

/** @param {ContentsTask} task */
function packContents({ lengths, buffer }) {
  const joined = new Joined(buffer);
  let at = 0;
  for (const length of lengths) {
    joined.add(shrink(new Uint8Array(buffer, at, length)));
    at += length;
  }
  return joined.result();
}

/** Data of files, one after the other. It may lie in the buffer itself, but not before where it goes: nothing becomes larger. */
class Joined {
  #length = 0;
  /** @type {FileResult[]} */
  #files = [];
  #target;

  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.#target = new Uint8Array(buffer);
  }

  /** @param {{ result: FileResult, data: Uint8Array }} file */
  add({ result, data }) {
    const end = this.#length + data.length;
    if (end > this.#target.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#target.subarray(0, this.#length));
      this.#target = larger;
    }
    this.#target.set(data, this.#length);
    this.#length = end;
    this.#files.push(result);
  }

  /** @returns {Result} */
  result() {
    return { files: this.#files, length: this.#length, buffer: this.#target.buffer };
  }
}

const nothing = new Uint8Array(0);

/**
 * @param {SmallFile} file
 * @param {string | undefined} salt
 * @param {number} maxBytes larger files are not read
 * @returns {{ result: FileResult, data: Uint8Array }} the data is valid until the next file is read
 */
function packFile(file, salt, maxBytes) {
  try {
    if ('text' in file) return shrink(Buffer.from(file.text), file.store);
    const { content, identity } = readUpTo(file.file, maxBytes, salt !== undefined);
    if (!content) return { result: { grown: true }, data: nothing };
    if (salt === undefined || identity === undefined) return shrink(content, file.store);
    const { result, data } = shrink(content, true);
    const key = file.store ? {} : { key: hash('sha256', `${salt}file\n${result.sha256}`, 'base64') };
    return { result: { ...result, identity, ...key }, data };
  } catch (cause) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { result: { error: { code, message } }, data: nothing };
  }
}

/**
 * The content compressed, or as it is if that is not smaller.
 * @param {Uint8Array} content
 * @param {boolean} [store] do not compress
 */
function shrink(content, store = content.length === 0) {
  const { length: size } = content;
  const stream = smallStreams.find(({ below }) => size < below) ?? usualStream;
  const deflated = store ? content : deflateRawSync(content, stream);
  const data = deflated.length < size ? deflated : content;
  const sums = { crc32: crc32(content), sha256: hash('sha256', content) };
  return { result: { size, compressed: data.length, ...sums, deflated: data !== content }, data };
}

/**
 * A stream as small as the content allows makes the same bytes: clearing the memory of a usual one, 256 KiB, takes as long
 * as compressing a kilobyte. `windowBits` has room for the content and what deflate looks ahead, `memLevel` for a symbol
 * of each byte.
 */
const smallStreams = [
  { below: 2 ** 11, level: deflateLevel, windowBits: 12, memLevel: 5, chunkSize: 2 ** 12 },
  { below: 2 ** 12, level: deflateLevel, windowBits: 13, memLevel: 6, chunkSize: 2 ** 13 },
  { below: 2 ** 13, level: deflateLevel, windowBits: 14, memLevel: 7, chunkSize: 2 ** 13 },
];
const usualStream = { level: deflateLevel };

/**
 * Each file is read into the same memory.
 * @type {Uint8Array}
 */
let lastContent = nothing;

/**
 * Reads the current size of the file, without what is appended meanwhile. No content if it is larger than `maxBytes`.
 * @param {string} path
 * @param {number} maxBytes
 * @param {boolean} identify
 * @returns {{ identity?: string, content?: Uint8Array }}
 */
function readUpTo(path, maxBytes, identify) {
  // As in disk/regular-file.ts: opening a FIFO must not block.
  const file = openSync(path, fileConstants.O_RDONLY | (fileConstants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no longer a regular file');
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    // As in packing-cache/file-identity.ts.
    const known = identify ? { identity: `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}` } : {};
    if (size > maxBytes) return known;
    if (size > lastContent.length) lastContent = new Uint8Array(maxBytes);
    let read = 0;
    while (read < size) {
      const count = readSync(file, lastContent, read, size - read, read);
      if (count === 0) break;
      read += count;
    }
    return { ...known, content: lastContent.subarray(0, read) };
  } finally {
    closeSync(file);
  }
}

/**
 * The key of a block: what compressing it depends on.
 * @param {HashTask} task
 */
function hashBlock({ salt, dictionary, length, last, buffer }) {
  const key = createHash('sha256')
    .update(salt)
    .update(`block ${dictionary} ${last}\n`)
    .update(new Uint8Array(buffer, 0, dictionary + length))
    .digest('base64');
  return { files: [], length: 0, buffer, key };
}

/** @type {Map<number, { crc32: number, hash: import('node:crypto').Hash }>} by the id of the file */
const openSums = new Map();

/** @param {SumsTask} task */
function addToSums({ id, length, last, buffer }) {
  const content = new Uint8Array(buffer, 0, length);
  const open = openSums.get(id) ?? { crc32: 0, hash: createHash('sha256') };
  open.crc32 = crc32(content, open.crc32);
  open.hash.update(content);
  openSums.set(id, open);
  if (!last) return { files: [], length, buffer };
  openSums.delete(id);
  return { files: [], length, buffer, sums: { crc32: open.crc32, sha256: open.hash.digest('hex') } };
}

/**
 * Compresses a block of a large file. The preceding bytes serve as dictionary, and the result ends on a byte boundary, so
 * that blocks can be concatenated.
 * @param {BlockTask} task
 */
function deflateBlock({ dictionary, length, last, buffer }) {
  const finishFlush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  const before = dictionary > 0 ? { dictionary: new Uint8Array(buffer, 0, dictionary) } : {};
  const deflated = deflateRawSync(new Uint8Array(buffer, dictionary, length), {
    level: deflateLevel,
    finishFlush,
    chunkSize,
    ...before,
  });
  const target = new Uint8Array(deflated.length <= buffer.byteLength ? buffer : new ArrayBuffer(deflated.length));
  target.set(deflated);
  return { files: [], length: deflated.length, buffer: target.buffer };
}

/** A whole block: joining smaller chunks needs a third more memory. */
const chunkSize = 2 ** 20;

// Does nothing if imported by the main thread or by a test that runs in a worker.
if (!isMainThread && workerData?.name === 'deflate' && parentPort) {
  const port = parentPort;
  /** @type {Int32Array} `[isStopped, isBusy]`, shared with the main thread */
  const state = workerData.state;
  port.on('message', (/** @type {Task | 'exit'} */ task) => {
    if (task === 'exit') return port.close();
    Atomics.store(state, 1, 1);
    if (Atomics.load(state, 0) === 0) {
      const result = runTask(task);
      port.postMessage(result, [result.buffer]);
    }
    Atomics.store(state, 1, 0);
    Atomics.notify(state, 1);
  });
}
