import type { BodyWatch } from './reply.ts';

/** The bytes that are kept of each body: 200 calls with both bodies take 25 MiB at most. */
export const maxCapturedBytes = 64 * 1024;

/** The start of a body that passes by. */
export class CapturedBody implements BodyWatch {
  /** Bytes of the whole body, as far as it was read. */
  size = 0;
  #hasEnded = false;
  readonly #chunks: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get isWhole(): boolean {
    return this.#hasEnded && this.size <= maxCapturedBytes;
  }

  /** Keeps a copy: a chunk is a part of a larger buffer. */
  onChunk(chunk: Buffer): void {
    const left = maxCapturedBytes - this.size;
    if (left > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, left)));
    this.size += chunk.length;
  }

  onEnd(end: Parameters<BodyWatch['onEnd']>[0]): void {
    this.#hasEnded = end === 'complete';
  }
}
