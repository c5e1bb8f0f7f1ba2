// @ts-check
/**
 * Computes checksums on a thread: one core computes MD5s of 500 MB per second, which the thread with the sockets cannot
 * spare.
 *
 * Plain JavaScript without imports from src, because a worker is loaded from a file, before and after bundling. Blocks
 * are in shared memory, so that bytes are hashed and sent without a copy.
 *
 * @typedef {{ algorithm: 'sha256', state?: string | undefined, bytes: number }} ResumedSha256 `bytes`: how many the state is of
 * @typedef {{ algorithm: 'md5' } | { algorithm: 'git-blob', bytes: number } | ResumedSha256} Sum
 * @typedef {{ kind: 'block', digest: number, sum: Sum, memory: SharedArrayBuffer, length: number }} BlockJob
 * @typedef {{ kind: 'state', digest: number, sum: Sum }} StateJob returns the state of a SHA-256, or nothing between two blocks of it
 * @typedef {{ kind: 'end', digest: number, sum: Sum }} EndJob returns the digest of the blocks so far and removes it
 * @typedef {{ kind: 'file', path: string, offset: number, length: number }} FileJob returns an MD5
 * @typedef {BlockJob | StateJob | EndJob | FileJob} HashJob
 * @typedef {{ id: number, result?: string, error?: { code: string, message: string } }} HashResult
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** @type {Map<number, import('node:crypto').Hash | Sha256>} */
const digests = new Map();

/**
 * @param {HashJob} job
 * @returns {string | undefined}
 */
function runJob(job) {
  if (job.kind === 'file') return hashFile(job);
  const digest = digests.get(job.digest) ?? createDigest(job.sum);
  digests.set(job.digest, digest);
  if (job.kind === 'block') digest.update(new Uint8Array(job.memory, 0, job.length));
  if (job.kind === 'state') return digest instanceof Sha256 ? digest.state : undefined;
  if (job.kind !== 'end') return undefined;
  digests.delete(job.digest);
  return String(digest.digest('hex'));
}

/** @param {Sum} sum */
function createDigest(sum) {
  if (sum.algorithm === 'sha256') return new Sha256(sum.state, sum.bytes);
  // What git calls the id of a file.
  if (sum.algorithm === 'git-blob') return createHash('sha1').update(`blob ${sum.bytes}\0`);
  return createHash('md5');
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

const blockBytes = 64;

/**
 * A SHA-256 whose state can be saved, which those of Node cannot: an interrupted copy goes on without reading again what
 * it has sent. It takes several times as long as Node's, but no line that carries a model is as fast as either.
 */
class Sha256 {
  #state = new Int32Array(roots(8, Math.sqrt));
  #tail = new Uint8Array(blockBytes);
  #bytes = 0;

  /**
   * @param {string | undefined} saved what `state` returned
   * @param {number} bytes how many it is of
   */
  constructor(saved, bytes) {
    this.#bytes = bytes;
    if (saved) this.#state = this.#state.map((_, at) => Number.parseInt(saved.slice(at * 8, at * 8 + 8), 16));
  }

  get state() {
    return this.#bytes % blockBytes === 0 ? this.#hex() : undefined;
  }

  /** @param {Uint8Array} bytes */
  update(bytes) {
    const held = this.#bytes % blockBytes;
    const first = held > 0 ? Math.min(bytes.length, blockBytes - held) : 0;
    this.#tail.set(bytes.subarray(0, first), held);
    this.#bytes += bytes.length;
    if (held > 0 && held + first === blockBytes) compress(this.#state, this.#tail);
    if (held > 0 && held + first < blockBytes) return;
    const whole = bytes.length - ((bytes.length - first) % blockBytes);
    compress(this.#state, bytes.subarray(first, whole));
    this.#tail.set(bytes.subarray(whole));
  }

  /** @param {'hex'} _ */
  digest(_) {
    const end = new DataView(new ArrayBuffer(blockBytes + 8 - ((this.#bytes + 8) % blockBytes)));
    end.setUint8(0, 0x80);
    end.setBigUint64(end.byteLength - 8, BigInt(this.#bytes) * 8n);
    this.update(new Uint8Array(end.buffer));
    return this.#hex();
  }

  #hex() {
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

/**
 * The first 32 bits of the fractions of the roots of the first primes, which are the constants of SHA-256 (FIPS 180-4).
 * @param {number} count
 * @param {(prime: number) => number} root
 */
function roots(count, root) {
  /** @type {number[]} */
  const primes = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}

/**
 * The rounds are written out: V8 calls functions that would name their parts, which takes three times as long.
 * @param {Int32Array} state
 * @param {Uint8Array} bytes whole blocks
 */
function compress(state, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let block = 0; block < bytes.length; block += blockBytes) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const x = word(words, i - 15);
      const y = word(words, i - 2);
      const first = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const second = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[i] = (word(words, i - 16) + word(words, i - 7) + first + second) | 0;
    }
    let a = word(state, 0);
    let b = word(state, 1);
    let c = word(state, 2);
    let d = word(state, 3);
    let e = word(state, 4);
    let f = word(state, 5);
    let g = word(state, 6);
    let h = word(state, 7);
    for (let i = 0; i < 64; i++) {
      const mixedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const mixedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const sum = (h + mixedE + (g ^ (e & (f ^ g))) + word(roundConstants, i) + word(words, i)) | 0;
      const other = (mixedA + ((a & b) | (c & (a | b)))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + sum) | 0;
      d = c;
      c = b;
      b = a;
      a = (sum + other) | 0;
    }
    state[0] = word(state, 0) + a;
    state[1] = word(state, 1) + b;
    state[2] = word(state, 2) + c;
    state[3] = word(state, 3) + d;
    state[4] = word(state, 4) + e;
    state[5] = word(state, 5) + f;
    state[6] = word(state, 6) + g;
    state[7] = word(state, 7) + h;
  }
}

const words = new Int32Array(64);
const roundConstants = new Int32Array(roots(64, Math.cbrt));

/** @param {Int32Array} array @param {number} at */
function word(array, at) {
  return /** @type {number} */ (array[at]);
}

if (!isMainThread && workerData === 'hash' && parentPort) {
  const port = parentPort;
  port.on('message', (/** @type {{ id: number, job: HashJob }} */ { id, job }) => {
    try {
      port.postMessage({ id, result: runJob(job) });
    } catch (cause) {
      const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
      port.postMessage({ id, error: { code, message } });
    }
  });
}
