// @ts-check
/**
 * The work that takes time, reading small files and deflating, in a form that runs on any thread.
 *
 * Plain JavaScript that imports nothing of ours: a worker is loaded from a file, before and after bundling. The bytes
 * do not depend on where a job runs: the same calls with the same input, on one machine.
 *
 * Each job brings its own buffer and takes it back with the result, so that memory is allotted once.
 *
 * @typedef {{ kind: 'files', files: SmallFile[], buffer: ArrayBuffer }} FilesJob
 * @typedef {{ file: string, store: boolean } | { text: string, store: boolean }} SmallFile
 * @typedef {{ kind: 'block', dictionary: number, length: number, last: boolean, buffer: ArrayBuffer }} BlockJob
 *   `dictionary` bytes that come before the block in its file, and behind them the `length` bytes to deflate
 * @typedef {FilesJob | BlockJob} Job
 *
 * @typedef {{ size: number, compressed: number, crc32: number, deflated: boolean }} Packed
 * @typedef {{ error: { code: string, message: string } } | { grown: true } | Packed} FileResult
 * @typedef {{ files: FileResult[], length: number, buffer: ArrayBuffer }} Result
 *   `buffer` holds, in its first `length` bytes, the data of all files one after the other
 */
import { closeSync, constants as fileConstants, fstatSync, openSync, readSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** The zip format's usual level: 9 takes three times as long for 0.4 %. */
const level = 6;

/**
 * @param {Job} job
 * @returns {Result}
 */
export function perform(job) {
  return job.kind === 'files' ? packFiles(job) : deflateBlock(job);
}

/** @param {FilesJob} job */
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
 * @param {number} most bytes; more is no small file any longer
 * @returns {{ result: FileResult, data: Uint8Array }}
 */
function packFile(file, most) {
  try {
    const content = 'text' in file ? Buffer.from(file.text) : readUpTo(file.file, most);
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
 * Read in one go up to the size it has now; what is appended meanwhile is not ours.
 * @param {string} path
 * @param {number} most
 */
function readUpTo(path, most) {
  // As in disk/regular-file.ts: opening what has become a FIFO must not wait.
  const file = openSync(path, fileConstants.O_RDONLY | (fileConstants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is no longer a regular file');
    const { size } = stats;
    if (size > most) return undefined;
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
 * A stretch of a large file. With the bytes before it as dictionary it deflates as well as in one go, and ending on a
 * whole byte it can be joined to the next one.
 * @param {BlockJob} job
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

/** In bytes: room for a whole block, since joining pieces costs a third more memory. */
const chunkSize = 2 ** 20;

// Imported by the main thread, or by a test that is itself a worker, this file only lends its function.
if (!isMainThread && workerData === 'deflate' && parentPort) {
  const port = parentPort;
  port.on('message', (job) => {
    const result = perform(job);
    port.postMessage(result, [result.buffer]);
  });
}
