import { createHash, type Hash } from 'node:crypto';
import { withRetries } from '../api/retry.ts';
import { parseEtagChecksum } from './etag-checksum.ts';
import type { RemoteContent } from './remote-content.ts';
import type { TransferResources } from './resources.ts';
import { ChangedError, NoRangesError } from './storage-errors.ts';

/** The content of a remote file from its beginning to its end. When the connection breaks it is resumed. */
export async function* readContent(content: RemoteContent, resources: TransferResources): AsyncGenerator<Buffer> {
  const reading = new Reading(content, resources.signal);
  try {
    for (;;) {
      const { done, value } = await withRetries(
        () => reading.next(),
        (error) => error.facts.retryable === true,
        resources,
      );
      if (done) return;
      yield value;
    }
  } finally {
    await reading.close();
  }
}

/**
 * The same, compared with the checksum of the storage if it gives one. Throws a CorruptError at the end, when the reader
 * has all of it.
 */
export async function* readVerified(content: RemoteContent, resources: TransferResources): AsyncGenerator<Buffer> {
  const hash = createHash('md5');
  for await (const chunk of readContent(content, resources)) {
    // The first response has come by now: it tells whether there is a checksum.
    if (parseEtagChecksum(content.etag)) hash.update(chunk);
    yield chunk;
  }
  parseEtagChecksum(content.etag)?.verify(hash.digest('hex'));
}

class Reading {
  #chunks: AsyncGenerator<Buffer> | undefined;
  /** How much the reader has. */
  #bytes = 0;
  /** Of what the reader has, where only the content tells whether a second request gets the same version. */
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
    return this.#bytes > 0 ? this.#rest(chunks) : chunks;
  }

  /** What comes after the bytes that the reader has. Throws a ChangedError when those are not the same any more. */
  async *#rest(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
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
