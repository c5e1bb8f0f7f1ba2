import { createHash, type Hash } from 'node:crypto';
import { retrying } from '../api/retry.ts';
import { checksumIn } from './checksum.ts';
import type { RemoteContent } from './remote-content.ts';
import type { Engine } from './resources.ts';
import { ChangedError, NoRangesError } from './storage-errors.ts';

/** The content of a remote file from its beginning to its end. When the connection breaks it is resumed. */
export async function* readContent(content: RemoteContent, engine: Engine): AsyncGenerator<Buffer> {
  const reading = new Reading(content, engine.signal);
  try {
    for (;;) {
      const { done, value } = await retrying(
        () => reading.next(),
        (error) => error.facts.retryable === true,
        engine,
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
export async function* readChecked(content: RemoteContent, engine: Engine): AsyncGenerator<Buffer> {
  const hash = createHash('md5');
  for await (const piece of readContent(content, engine)) {
    // The first response has come by now: it tells whether there is a checksum.
    if (checksumIn(content.etag)) hash.update(piece);
    yield piece;
  }
  checksumIn(content.etag)?.check(hash.digest('hex'));
}

class Reading {
  #pieces: AsyncGenerator<Buffer> | undefined;
  /** How much the reader has. */
  #bytes = 0;
  /** Of what the reader has, where only the content tells whether a second request gets the same version. */
  #hash: Hash | undefined;

  constructor(
    private readonly content: RemoteContent,
    private readonly signal: AbortSignal,
  ) {}

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    this.#pieces ??= await this.#open();
    try {
      const piece = await this.#pieces.next();
      if (!piece.done) this.#count(piece.value);
      return piece;
    } catch (error) {
      this.#pieces = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pieces?.return(undefined);
  }

  #count(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.content.version !== undefined) return;
    this.#hash ??= createHash('sha256');
    this.#hash.update(piece);
  }

  async #open(): Promise<AsyncGenerator<Buffer>> {
    const { content, signal } = this;
    if (this.#bytes > 0 && content.isResumable) {
      try {
        return (await content.get({ start: this.#bytes, end: content.bytes }, signal)).pieces;
      } catch (error) {
        if (!(error instanceof NoRangesError)) throw error;
      }
    }
    const { pieces } = await content.get(undefined, signal);
    return this.#bytes > 0 ? this.#rest(pieces) : pieces;
  }

  /** What comes after the bytes that the reader has. Throws a ChangedError when those are not the same any more. */
  async *#rest(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const known = this.#hash?.copy().digest('hex');
    const hash = createHash('sha256');
    let repeated = this.#bytes;
    for await (const piece of pieces) {
      const before = piece.subarray(0, repeated);
      repeated -= before.length;
      if (known !== undefined && before.length > 0) {
        hash.update(before);
        if (repeated === 0 && hash.digest('hex') !== known)
          throw new ChangedError('it changed while it was being read');
      }
      if (before.length < piece.length) yield piece.subarray(before.length);
    }
  }
}
