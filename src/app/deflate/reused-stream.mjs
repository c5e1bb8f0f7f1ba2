// @ts-check
/**
 * Compresses many small contents with one stream of zlib: making a stream, with its 256 KiB, takes longer than compressing
 * a kilobyte. Each content becomes the same bytes as with a stream of its own.
 */
import { constants, createDeflateRaw, deflateRawSync } from 'node:zlib';

/** Level 9 takes three times as long for 0.4 %. */
export const deflateLevel = 6;

/** For a larger content, a stream of its own costs little. */
const maxReused = 2 ** 15;
/** What deflate makes of `maxReused` bytes is a little more at most. */
const chunkSize = 2 ** 16;

/**
 * What Node's own `deflateRawSync` does with a stream, but for closing it. Libraries that do the same (minizlib, which npm
 * installs with, pngjs) have kept Node from changing it. @types/node does not have it.
 * @typedef {import('node:zlib').DeflateRaw & {
 *   _handle: { close?(): void } | null, _processChunk?(chunk: Uint8Array, flush: number): Uint8Array }} SyncStream
 */

export class ReusedStream {
  /** @type {SyncStream | undefined} */
  #stream;
  /** Of the last content. */
  #length = 0;

  /**
   * Fastest for contents in the order of their lengths. zlib looks some bytes beyond the end of a content, where a longer one
   * before it has left its own, and these decide between matches: then the stream is a new one.
   * @param {Uint8Array} content
   * @returns {Uint8Array}
   */
  deflate(content) {
    const { length } = content;
    if (length > maxReused) return deflateRawSync(content, { level: deflateLevel });
    if (length < this.#length) this.#close();
    this.#length = length;
    this.#stream ??= openStream();
    const { _handle: handle } = this.#stream;
    if (!handle || !this.#stream._processChunk) return deflateRawSync(content, { level: deflateLevel });
    const deflated = this.#stream._processChunk(content, constants.Z_FINISH);
    // Node has closed the stream, though not its handle.
    this.#stream._handle = handle;
    this.#stream.removeAllListeners('error');
    this.#stream.reset();
    return deflated;
  }

  #close() {
    const handle = this.#stream?._handle;
    if (handle) delete handle.close;
    this.#stream?.close();
    this.#stream = undefined;
  }
}

/** @returns {SyncStream} */
function openStream() {
  const stream = /** @type {SyncStream} */ (createDeflateRaw({ level: deflateLevel, chunkSize }));
  if (stream._handle) stream._handle.close = () => {};
  return stream;
}
