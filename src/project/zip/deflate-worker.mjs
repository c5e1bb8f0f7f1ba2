// @ts-check
/**
 * Reads small files and compresses, on any thread. Plain JavaScript without imports of ours, because workers are loaded
 * from this file before and after bundling. The result does not depend on the thread.
 *
 * Each task brings a buffer, which the result returns, so that memory is allocated once.
 *
 * @typedef {{ kind: 'files', files: SmallFile[], buffer: ArrayBuffer }} FilesTask
 * @typedef {{ file: string, store: boolean } | { text: string, store: boolean }} SmallFile
 * @typedef {{ kind: 'block', dictionary: number, length: number, last: boolean, buffer: ArrayBuffer }} BlockTask
 *   `buffer` holds `dictionary` bytes that precede the block in its file, then the `length` bytes to compress
 * @typedef {FilesTask | BlockTask} Task
 *
 * @typedef {{ size: number, compressed: number, crc32: number, deflated: boolean }} Packed
 * @typedef {{ error: { code: string, message: string } } | { grown: true } | Packed} FileResult
 * @typedef {{ files: FileResult[], length: number, buffer: ArrayBuffer }} Result
 *   the first `length` bytes of `buffer` are the data of all files, concatenated
 */
import { closeSync, constants as fileConstants, fstatSync, openSync, readSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Level 9 takes three times as long for 0.4 %. */
const level = 6;

/**
 * @param {Task} task
 * @returns {Result}
 */
export function runTask(task) {
  return task.kind === 'files' ? packFiles(task) : deflateBlock(task);
}

/** @param {FilesTask} task */
function packFiles({ files, buffer }) {
  const results = files.map((file) => packFile(file, buffer.byteLength));
  const length = results.reduce((sum, { data }) => sum + data.length, 0);
  const target = new Uint8Array(length <= buffer.byteLength ? buffer : new ArrayBuffer(length));
  let at = 0;
  for (const { data } of results) {
    target.set(data, at);
    at += data.length;
  }
  return { files: results.map(({ result }) => result), length, buffer: target.buffer };
}

const nothing = new Uint8Array(0);

/**
 * @param {SmallFile} file
 * @param {number} maxBytes larger files are not read
 * @returns {{ result: FileResult, data: Uint8Array }}
 */
function packFile(file, maxBytes) {
  try {
    const content = 'text' in file ? Buffer.from(file.text) : readUpTo(file.file, maxBytes);
    if (!content) return { result: { grown: true }, data: nothing };

    const deflated = file.store || content.length === 0 ? content : deflateRawSync(content, { level });
    const data = deflated.length < content.length ? deflated : content;
    const result = { size: content.length, compressed: data.length, crc32: crc32(content), deflated: data !== content };
    return { result, data };
  } catch (cause) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
    return { result: { error: { code, message } }, data: nothing };
  }
}

/**
 * Reads the current size of the file, without what is appended meanwhile.
 * @param {string} path
 * @param {number} maxBytes
 */
function readUpTo(path, maxBytes) {
  // As in disk/regular-file.ts: opening a FIFO must not block.
  const file = openSync(path, fileConstants.O_RDONLY | (fileConstants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no longer a regular file');
    const { size } = stats;
    if (size > maxBytes) return undefined;
    const content = Buffer.allocUnsafeSlow(size);
    let read = 0;
    while (read < size) {
      const count = readSync(file, content, read, size - read, read);
      if (count === 0) break;
      read += count;
    }
    return content.subarray(0, read);
  } finally {
    closeSync(file);
  }
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
    level,
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
