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
const outputBytes = 2 ** 16;

/**
 * What Node's own `deflateRawSync` uses of a stream. What it does besides, for each content, takes a third as long as
 * deflate. A library that does the same (pngjs) has kept Node from changing it. @types/node does not have it.
 * @typedef {import('node:zlib').DeflateRaw & { _handle?: Handle | null, _writeState?: Uint32Array }} SyncStream
 *   `_writeState` is what a write has left: of the output, and of the input
 * @typedef {{ reset(): void, writeSync?(flush: number, ...fromAndTo: [Uint8Array, number, number, Uint8Array, number, number]): void }} Handle
 */

export class ReusedStream {
  /** @type {SyncStream | undefined} */
  #stream;
  #output = new Uint8Array(outputBytes);
  /** The length of the last content. */
  #length = 0;

  /**
   * Fastest for contents in the order of their lengths. zlib looks some bytes beyond the end of a content, where a longer one
   * before it has left its own, and these decide between matches: then the stream is a new one.
   * @param {Uint8Array} content
   * @returns {Uint8Array} valid until the next call
   */
  deflate(content) {
    const { length } = content;
    if (length > maxReused) return deflateRawSync(content, { level: deflateLevel });
    if (length < this.#length) this.#close();
    this.#length = length;
    this.#stream ??= createDeflateRaw({ level: deflateLevel });
    const { _handle: handle, _writeState: left } = this.#stream;
    if (!handle?.writeSync || !left) return deflateRawSync(content, { level: deflateLevel });
    handle.writeSync(constants.Z_FINISH, content, 0, length, this.#output, 0, outputBytes);
    handle.reset();
    return this.#output.subarray(0, outputBytes - (left[0] ?? 0));
  }

  #close() {
    this.#stream?.close();
    this.#stream = undefined;
  }
}
