// @ts-check
/**
 * Computes checksums on a thread: one core computes MD5s of 500 MB per second, which the thread with the sockets cannot
 * spare.
 *
 * Plain JavaScript without imports from src, because a worker is loaded from a file, before and after bundling. Blocks
 * are in shared memory, so that bytes are hashed and sent without a copy.
 *
 * The SHA-256 is that of hash-wasm, because the state of Node's cannot be saved: an interrupted copy goes on without
 * reading again what it has sent. It takes five times as long as Node's, but few lines that carry a model are faster.
 *
 * @typedef {{ algorithm: 'sha256', state?: string | undefined }} Sha256 goes on from the state of another one
 * @typedef {{ algorithm: 'md5' } | { algorithm: 'git-blob', bytes: number } | Sha256} Sum
 * @typedef {{ kind: 'block', digest: number, sum: Sum, memory: SharedArrayBuffer, length: number }} BlockJob
 * @typedef {{ kind: 'state', digest: number, sum: Sum }} StateJob returns the state of a SHA-256, and nothing of others
 * @typedef {{ kind: 'end', digest: number, sum: Sum }} EndJob returns the digest of the blocks so far and removes it
 * @typedef {{ kind: 'file', path: string, offset: number, length: number }} FileJob returns an MD5
 * @typedef {BlockJob | StateJob | EndJob | FileJob} HashJob
 * @typedef {import('hash-wasm').IHasher} IHasher
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import hashWasm from 'hash-wasm/dist/sha256.umd.min.js';

/** @type {Map<number, Promise<import('node:crypto').Hash | IHasher>>} */
const digests = new Map();

/**
 * SHA-256s that have ended, for the next ones: each has a WebAssembly memory of its own.
 * @type {IHasher[]}
 */
const ended = [];

/**
 * @param {HashJob} job
 * @returns {Promise<string | undefined>}
 */
async function runJob(job) {
  if (job.kind === 'file') return hashFile(job);
  const creating = digests.get(job.digest) ?? createDigest(job.sum);
  digests.set(job.digest, creating);
  const digest = await creating;
  if (job.kind === 'block') digest.update(new Uint8Array(job.memory, 0, job.length));
  if (job.kind === 'state' && 'save' in digest) return Buffer.from(digest.save()).toString('hex');
  if (job.kind !== 'end') return undefined;
  digests.delete(job.digest);
  if ('save' in digest) ended.push(digest);
  return String(digest.digest('hex'));
}

/** @param {Sum} sum */
async function createDigest(sum) {
  if (sum.algorithm === 'sha256') {
    const sha256 = ended.pop() ?? (await createSha256());
    return sum.state ? sha256.load(Buffer.from(sum.state, 'hex')) : sha256.init();
  }
  // What git calls the id of a file.
  if (sum.algorithm === 'git-blob') return createHash('sha1').update(`blob ${sum.bytes}\0`);
  return createHash('md5');
}

/** Flags of V8 are those of all threads. With the one that is best for undici (src/platform/api/undici.ts) it takes ten times as long. */
function createSha256() {
  setFlagsFromString('--no-liftoff-only');
  setFlagsFromString('--wasm-dynamic-tiering');
  return hashWasm.createSHA256();
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
  return String(digest.digest('hex'));
}

if (!isMainThread && workerData === 'hash' && parentPort) {
  const port = parentPort;
  port.on('message', async (/** @type {{ id: number, task: HashJob }} */ { id, task }) => {
    try {
      port.postMessage({ id, result: await runJob(task) });
    } catch (cause) {
      const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
      port.postMessage({ id, error: { code, message } });
    }
  });
}
