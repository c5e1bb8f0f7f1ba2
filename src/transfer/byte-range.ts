import type { FileHandle } from 'node:fs/promises';

/** Bytes in a row, from wherever they come. */
export interface ByteRange {
  /** Fills the buffer from its beginning. Gives how many bytes it wrote: fewer than there is room for only at the end. */
  fill(buffer: Buffer): Promise<number>;
  close(): Promise<void>;
  /** All of it, where that is in memory already: nobody may write into it. */
  content?: Buffer;
}

/** A file from this offset on. Closing it leaves the file open: several stretches share it. */
export function fileRange(file: FileHandle, offset: number): ByteRange {
  let at = offset;
  return {
    async fill(buffer) {
      let filled = 0;
      // One read may return less than requested.
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, at);
        if (bytesRead === 0) break;
        filled += bytesRead;
        at += bytesRead;
      }
      return filled;
    },
    close: async () => {},
  };
}

/** What is in memory already. */
export function bufferRange(content: Buffer): ByteRange {
  let at = 0;
  return {
    content,
    async fill(buffer) {
      const copied = content.copy(buffer, 0, at);
      at += copied;
      return copied;
    },
    close: async () => {},
  };
}

/** The chunks of a stream, which come in sizes of their own. */
export function streamRange(chunks: AsyncIterable<Buffer>): ByteRange {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return {
    async fill(buffer) {
      let filled = 0;
      while (filled < buffer.length) {
        if (rest.length === 0) {
          const { done, value } = await iterator.next();
          if (done) break;
          rest = value;
        }
        const copied = rest.copy(buffer, filled);
        rest = rest.subarray(copied);
        filled += copied;
      }
      return filled;
    },
    close: async () => void (await iterator.return?.()),
  };
}
