// @ts-check
/**
 * MD5 on a thread of its own: one core does 500 MB a second, and the thread that drives the sockets has better to do.
 *
 * Plain JavaScript that imports nothing of ours: a worker is loaded from a file, before and after bundling. Blocks lie
 * in shared memory: what is hashed is what is sent, without a copy.
 *
 * @typedef {{ kind: 'block', digest: number, memory: SharedArrayBuffer, length: number }} BlockJob
 * @typedef {{ kind: 'end', digest: number }} EndJob gives the digest of the blocks so far, and forgets them
 * @typedef {{ kind: 'file', path: string, offset: number, length: number }} FileJob
 * @typedef {BlockJob | EndJob | FileJob} Job
 * @typedef {{ id: number, md5?: string, error?: { code: string, message: string } }} Result
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** @type {Map<number, import('node:crypto').Hash>} */
const digests = new Map();

/**
 * @param {Job} job
 * @returns {string | undefined}
 */
function perform(job) {
  if (job.kind === 'file') return ofFile(job);
  const digest = digests.get(job.digest) ?? createHash('md5');
  if (job.kind === 'block') {
    digests.set(job.digest, digest.update(new Uint8Array(job.memory, 0, job.length)));
    return undefined;
  }
  digests.delete(job.digest);
  return digest.digest('hex');
}

/** @param {FileJob} job */
function ofFile({ path, offset, length }) {
  const digest = createHash('md5');
  const buffer = Buffer.allocUnsafe(Math.min(length, 2 ** 20));
  // As in disk/regular-file.ts: opening what has become a FIFO must not wait.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is no longer a regular file');
    for (let at = 0; at < length; ) {
      const read = readSync(file, buffer, 0, Math.min(buffer.length, length - at), offset + at);
      if (read === 0) break;
      digest.update(buffer.subarray(0, read));
      at += read;
    }
  } finally {
    closeSync(file);
  }
  return digest.digest('hex');
}

if (!isMainThread && workerData === 'hash' && parentPort) {
  const port = parentPort;
  port.on('message', (/** @type {{ id: number, job: Job }} */ { id, job }) => {
    try {
      port.postMessage({ id, md5: perform(job) });
    } catch (cause) {
      const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
      port.postMessage({ id, error: { code, message } });
    }
  });
}
