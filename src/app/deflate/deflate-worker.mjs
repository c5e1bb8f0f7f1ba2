// @ts-check
/**
 * Reads small files and compresses, on any thread. Plain JavaScript, because workers are loaded from this file before and
 * after bundling. The result does not depend on the thread.
 *
 * Each task brings a buffer, which the result returns, so that memory is allocated once.
 *
 * @typedef {{ kind: 'block', dictionary: number, length: number, last: boolean, buffer: ArrayBuffer }} BlockTask
 *   `buffer` holds `dictionary` bytes that precede the block in its file, then the `length` bytes to compress
 * @typedef {{ kind: 'sums', id: number, length: number, last: boolean, buffer: ArrayBuffer }} SumsTask
 *   a block of a file that is stored: all blocks of an id go to one thread, in their order
 * @typedef {FilesTask | BlockTask | SumsTask} Task
 *
 * @typedef {{ length: number, buffer: ArrayBuffer, files?: Packed[], sums?: Sums }} Result
 *   the first `length` bytes of `buffer` are the data of all files; the last block of a stored file has the checksums of the file
 * @typedef {{ crc32: number, sha256: string }} Sums
 */
/** @import { FilesTask, Packed } from './batch.mjs' */
import { createHash } from 'node:crypto';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { packFiles } from './batch.mjs';
import { deflateLevel } from './reused-stream.mjs';

/**
 * @param {Task} task
 * @returns {Result}
 */
export function runTask(task) {
  if (task.kind === 'files') return packFiles(task);
  return task.kind === 'sums' ? addToSums(task) : deflateBlock(task);
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
  if (!last) return { length, buffer };
  openSums.delete(id);
  return { length, buffer, sums: { crc32: open.crc32, sha256: open.hash.digest('hex') } };
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
  return { length: deflated.length, buffer: target.buffer };
}

/** A whole block: joining smaller chunks needs a third more memory. */
const chunkSize = 2 ** 20;

// Does nothing if imported by the main thread or by a test that runs in a worker.
if (!isMainThread && workerData?.name === 'deflate' && parentPort) {
  const port = parentPort;
  /** @type {Int32Array} `[isStopped, isBusy]`, shared with the main thread */
  const state = workerData.state;
  port.on('message', (/** @type {{ id: number, task: Task } | 'exit'} */ message) => {
    if (message === 'exit') return port.close();
    Atomics.store(state, 1, 1);
    if (Atomics.load(state, 0) === 0) {
      const result = runTask(message.task);
      port.postMessage({ id: message.id, result }, [result.buffer]);
    }
    Atomics.store(state, 1, 0);
    Atomics.notify(state, 1);
  });
}
