// @ts-check
/**
 * Reads small files and compresses, on any thread. Plain JavaScript, because workers are loaded from this file before and
 * after bundling. The result does not depend on the thread.
 *
 * Each task brings a buffer, which the result returns, so that memory is allocated once.
 *
 * @typedef {{ kind: 'files', files: SmallFile[], salt?: string | undefined, buffer: ArrayBuffer }} FilesTask
 *   with a salt, files are read but not compressed, and have the key under which a cache may know what they compress to
 * @typedef {{ kind: 'contents', lengths: number[], buffer: ArrayBuffer }} ContentsTask
 *   `buffer` holds contents of small files, concatenated
 * @typedef {{ kind: 'block', dictionary: number, length: number, last: boolean, buffer: ArrayBuffer }} BlockTask
 *   `buffer` holds `dictionary` bytes that precede the block in its file, then the `length` bytes to compress
 * @typedef {Omit<BlockTask, 'kind'> & { kind: 'hash', salt: string }} HashTask
 * @typedef {{ kind: 'sums', id: number, length: number, last: boolean, buffer: ArrayBuffer }} SumsTask
 *   a block of a file that is stored: all blocks of an id go to one thread, in their order
 * @typedef {FilesTask | ContentsTask | BlockTask | HashTask | SumsTask} Task
 *
 * @typedef {{ size: number, at: number, compressed: number, crc32: number, sha256: string, deflated: boolean }} Shrunk
 *   `at`: where its data begins in the buffer of the result, which need not be in the order of the files
 * @typedef {Shrunk & { identity?: string, key?: string }} Packed
 *   `identity`: what identified the file before it was read; no `key` if it is not to be compressed
 * @typedef {Unread | Packed} FileResult
 * @typedef {{ files: FileResult[], length: number, buffer: ArrayBuffer, key?: string, sums?: Sums }} Result
 *   the first `length` bytes of `buffer` are the data of all files; a hash has its key instead of data, and
 *   the last block of a stored file the checksums of the file
 * @typedef {{ crc32: number, sha256: string }} Sums
 */
/** @import { Content, Read, SmallFile, Unread } from './read-small-file.mjs' */
import { createHash, hash } from 'node:crypto';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { Contents, readSmallFile } from './read-small-file.mjs';
import { deflateLevel, ReusedStream } from './reused-stream.mjs';

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
  contents.clear();
  const found = files.map((file) =>
    readSmallFile(file, { contents, maxBytes: buffer.byteLength, identify: salt !== undefined }),
  );
  return packAll(found, buffer, salt);
}

/** @param {ContentsTask} task */
function packContents({ lengths, buffer }) {
  contents.clear();
  let at = 0;
  const found = lengths.map((length) => {
    const content = contents.take(length);
    content.set(new Uint8Array(buffer, at, length));
    at += length;
    return { content, store: false };
  });
  return packAll(found, buffer);
}

const contents = new Contents();
const stream = new ReusedStream();

/**
 * @param {readonly Read[]} found
 * @param {ArrayBuffer} buffer
 * @param {string} [salt]
 * @returns {Result}
 */
function packAll(found, buffer, salt) {
  /** @type {FileResult[]} */
  const files = new Array(found.length);
  const joined = new Joined(buffer);
  // As the stream is fastest.
  for (const [index, file] of [...found.entries()].sort(byLength)) {
    files[index] = 'content' in file ? packContent(file, joined, salt) : file;
  }
  return { files, ...joined.result() };
}

/** @type {(a: [number, Read], b: [number, Read]) => number} */
const byLength = ([, a], [, b]) => lengthOf(a) - lengthOf(b);

/** @param {Read} file */
const lengthOf = (file) => ('content' in file ? file.content.length : 0);

/**
 * @param {Content} file
 * @param {Joined} joined
 * @param {string | undefined} salt
 * @returns {Packed}
 */
function packContent({ content, store, identity }, joined, salt) {
  if (salt === undefined || identity === undefined) return shrink(content, store, joined);
  const stored = shrink(content, true, joined);
  if (store) return { ...stored, identity };
  return { ...stored, identity, key: hash('sha256', `${salt}file\n${stored.sha256}`, 'base64') };
}

/**
 * Adds the content compressed, or as it is if that is not smaller.
 * @param {Uint8Array} content
 * @param {boolean} store do not compress
 * @param {Joined} joined
 * @returns {Shrunk}
 */
function shrink(content, store, joined) {
  const { length: size } = content;
  const deflated = store || size === 0 ? content : stream.deflate(content);
  const data = deflated.length < size ? deflated : content;
  const sums = { crc32: crc32(content), sha256: hash('sha256', content) };
  return { size, at: joined.add(data), compressed: data.length, ...sums, deflated: data !== content };
}

/** Data of files, one after the other. */
class Joined {
  #length = 0;
  #target;

  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    this.#target = new Uint8Array(buffer);
  }

  /**
   * Returns where it is.
   * @param {Uint8Array} data
   */
  add(data) {
    const at = this.#length;
    this.#length += data.length;
    if (this.#length > this.#target.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#target.subarray(0, at));
      this.#target = larger;
    }
    this.#target.set(data, at);
    return at;
  }

  result() {
    return { length: this.#length, buffer: this.#target.buffer };
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
