import type { FileHandle } from 'node:fs/promises';
import type { Part, SentPart } from './parts.ts';

export interface ByteSource {
  /** Fills the buffer. Resolves to the number of bytes read, less than its length only at the end. */
  fill(buffer: Buffer): Promise<number>;
  close(): Promise<void>;
  /** The whole content if it is in memory. Read-only. */
  content?: Buffer;
}

/** A file from `offset` on. `close` leaves the file open, because several ranges share it. */
export function fileSource(file: FileHandle, offset: number): ByteSource {
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

export function bufferSource(content: Buffer): ByteSource {
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

export function streamSource(chunks: AsyncIterable<Buffer>): ByteSource {
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

/** Gives the parts of one upload attempt, in their order. */
export interface PartReader {
  take(part: Part, signal: AbortSignal): Promise<TakenPart>;
}

export interface TakenPart {
  /** Opens the content at its start; again for each retry. */
  read(): ByteSource;
  /** Called when the part was sent. Resolves to what the journal keeps of it besides. */
  settle(): Promise<Pick<SentPart, 'sha256State'>>;
  /** Whether it was sent, or failed for this reason. */
  release(failure?: unknown): void;
}

/** For content that can be read again at any place. */
export function directReader(read: (part: Part) => ByteSource): PartReader {
  return { take: async (part) => ({ read: () => read(part), settle: async () => ({}), release: () => {} }) };
}
