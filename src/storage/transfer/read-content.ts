import { createHash, type Hash } from 'node:crypto';
import { parseEtagChecksum } from './etag-checksum.ts';
import type { RemoteContent } from './remote-content.ts';
import { ChangedError, NoRangesError } from './storage-errors.ts';
import { repeated, type TransferContext } from './transfer-context.ts';

/** Reads a remote file from start to end. Resumes it when the connection fails. */
export async function* readContent(content: RemoteContent, resources: TransferContext): AsyncGenerator<Buffer> {
  const reader = new ResumableReader(content, resources.signal);
  try {
    for (;;) {
      const { done, value } = await repeated(() => reader.next(), resources);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.close();
  }
}

/**
 * Like {@link readContent}, but compares the checksum if the storage sends one. Throws a CorruptError at the end, after
 * all chunks.
 */
export async function* readVerified(content: RemoteContent, resources: TransferContext): AsyncGenerator<Buffer> {
  const hash = createHash('md5');
  for await (const chunk of readContent(content, resources)) {
    // Known since the first response.
    if (parseEtagChecksum(content.etag)) hash.update(chunk);
    yield chunk;
  }
  parseEtagChecksum(content.etag)?.verify(hash.digest('hex'));
}

class ResumableReader {
  #chunks: AsyncGenerator<Buffer> | undefined;
  #bytes = 0;
  /** Hash of the bytes so far, to compare versions if the storage sends no version. */
  #hash: Hash | undefined;

  constructor(
    private readonly content: RemoteContent,
    private readonly signal: AbortSignal,
  ) {}

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    this.#chunks ??= await this.#open();
    try {
      const chunk = await this.#chunks.next();
      if (!chunk.done) this.#count(chunk.value);
      return chunk;
    } catch (error) {
      this.#chunks = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#chunks?.return(undefined);
  }

  #count(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.content.version !== undefined) return;
    this.#hash ??= createHash('sha256');
    this.#hash.update(chunk);
  }

  async #open(): Promise<AsyncGenerator<Buffer>> {
    const { content, signal } = this;
    if (this.#bytes > 0 && content.isResumable) {
      try {
        return (await content.get({ start: this.#bytes, end: content.bytes }, signal)).chunks;
      } catch (error) {
        if (!(error instanceof NoRangesError)) throw error;
      }
    }
    const { chunks } = await content.get(undefined, signal);
    return this.#bytes > 0 ? this.#skipRead(chunks) : chunks;
  }

  /** Skips the bytes that were read before. Throws a ChangedError if they differ. */
  async *#skipRead(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const known = this.#hash?.copy().digest('hex');
    const hash = createHash('sha256');
    let repeated = this.#bytes;
    for await (const chunk of chunks) {
      const before = chunk.subarray(0, repeated);
      repeated -= before.length;
      if (known !== undefined && before.length > 0) {
        hash.update(before);
        if (repeated === 0 && hash.digest('hex') !== known)
          throw new ChangedError('the file changed while it was read');
      }
      if (before.length < chunk.length) yield chunk.subarray(before.length);
    }
  }
}

/** The checksum that a file must have, in hex: a SHA-256, or the id that git gives its content. */
export interface FileSum {
  algorithm: 'sha256' | 'git-blob';
  hex: string;
}

/** The SHA-256 and the checksum of this kind of a remote file, which is read in its order. */
export async function readSums(
  content: RemoteContent,
  algorithm: FileSum['algorithm'],
  resources: TransferContext,
): Promise<{ sha256: string; hex: string }> {
  const sha256 = createHash('sha256');
  const blob = algorithm === 'git-blob' ? createHash('sha1').update(`blob ${content.bytes}\0`) : undefined;
  for await (const chunk of readContent(content, resources)) {
    sha256.update(chunk);
    blob?.update(chunk);
  }
  const hex = sha256.digest('hex');
  return { sha256: hex, hex: blob?.digest('hex') ?? hex };
}

/** Throws a ChangedError if the source has another checksum than it must have. */
export function checkSum({ algorithm, hex }: FileSum, actual: string): void {
  if (actual === hex) return;
  const name = algorithm === 'sha256' ? 'SHA-256' : 'git id';
  throw new ChangedError(`its ${name} is ${actual}, but must be ${hex}`, {
    why: 'the source has other content than was asked for, or a proxy changed it',
  });
}
