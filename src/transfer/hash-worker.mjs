// @ts-check
/**
 * Computes MD5s on a thread: one core hashes 500 MB per second, which the thread with the sockets cannot spare.
 *
 * Plain JavaScript without imports from src, because a worker is loaded from a file, before and after bundling. Blocks
 * are in shared memory, so that bytes are hashed and sent without a copy.
 *
 * @typedef {{ kind: 'block', digest: number, memory: SharedArrayBuffer, length: number }} BlockJob
 * @typedef {{ kind: 'end', digest: number }} EndJob returns the digest of the blocks so far and removes it
 * @typedef {{ kind: 'file', path: string, offset: number, length: number }} FileJob
 * @typedef {BlockJob | EndJob | FileJob} HashJob
 * @typedef {{ id: number, md5?: string, error?: { code: string, message: string } }} HashResult
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** @type {Map<number, import('node:crypto').Hash>} */
const digests = new Map();

/**
 * @param {HashJob} job
 * @returns {string | undefined}
 */
function runJob(job) {
  if (job.kind === 'file') return hashFile(job);
  const digest = digests.get(job.digest) ?? createHash('md5');
  if (job.kind === 'block') {
    digests.set(job.digest, digest.update(new Uint8Array(job.memory, 0, job.length)));
    return undefined;
  }
  digests.delete(job.digest);
  return digest.digest('hex');
}

/** @param {FileJob} job */
function hashFile({ path, offset, length }) {
  const digest = createHash('md5');
  const buffer = Buffer.allocUnsafe(Math.min(length, 2 ** 20));
  // Without O_NONBLOCK, opening a FIFO blocks (disk/regular-file.ts).
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
  port.on('message', (/** @type {{ id: number, job: HashJob }} */ { id, job }) => {
    try {
      port.postMessage({ id, md5: runJob(job) });
    } catch (cause) {
      const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
      port.postMessage({ id, error: { code, message } });
    }
  });
}
