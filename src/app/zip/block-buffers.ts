/** Files are read and compressed in blocks of this size. */
export const blockBytes = 2 ** 20;
/** What deflate may refer to before a block. */
export const windowBytes = 2 ** 15;
/** A block, the window before it, and what deflate may add. */
export const bufferBytes = windowBytes + blockBytes + 2 ** 14;

/** Buffers for blocks, which are used again. */
export class BlockBuffers {
  readonly #free: ArrayBuffer[] = [];

  take(bytes = bufferBytes): ArrayBuffer {
    return bytes > bufferBytes ? new ArrayBuffer(bytes) : (this.#free.pop() ?? new ArrayBuffer(bufferBytes));
  }

  /** A buffer of another size is forgotten. */
  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength === bufferBytes) this.#free.push(buffer);
  }
}
