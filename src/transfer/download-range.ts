import { withRetries } from '../api/retry.ts';
import { toDiskError } from '../disk/index.ts';
import { UnavailableError } from '../errors.ts';
import { type Block, blockBytesFor } from './block-pool.ts';
import { streamRange } from './byte-range.ts';
import { type Digest, maxInlineHashBytes, md5 } from './hash.ts';
import type { Part } from './parts.ts';
import type { ObjectResponse } from './range-request.ts';
import type { RemoteContent } from './remote-content.ts';
import { maxSmallBytes, type TransferResources } from './resources.ts';
import { isOverload, NoRangesError } from './storage-errors.ts';

/** Takes bytes at this offset of the file. The buffer is reused after it resolves. */
export type Sink = (bytes: Buffer, offset: number) => Promise<unknown>;

export interface RangeDownload {
  content: RemoteContent;
  range: Part;
  sink: Sink;
  signal: AbortSignal;
  /** Whether to compute the MD5. */
  hash: boolean;
  /** Requests of files with a lower order run first. */
  order: number;
}

/**
 * Downloads a byte range; each retry resumes where the previous request ended. Returns the MD5 in hex with `hash`, unless
 * checksums are off.
 */
export async function downloadRange(
  receiving: RangeDownload,
  resources: TransferResources,
): Promise<string | undefined> {
  const { range, content, signal, order } = receiving;
  const gate = content.bytes > maxSmallBytes ? resources.large : resources.small;
  const attempt = new RangeAttempt(receiving, resources);
  try {
    await withRetries(
      () => gate.run(() => attempt.proceed(), order),
      (error) => {
        if (isOverload(error)) gate.reduce();
        return error.facts.retryable === true && !signal.aborted;
      },
      resources,
    );
    return receiving.hash && resources.hasher ? await attempt.md5(range.length) : undefined;
  } catch (error) {
    attempt.forget();
    throw error;
  } finally {
    attempt.close();
  }
}

class RangeAttempt {
  done = 0;
  #digest: Digest | undefined;
  readonly #block: Block | undefined;
  readonly #buffer: Buffer;

  constructor(
    private readonly receiving: RangeDownload,
    private readonly resources: TransferResources,
  ) {
    const { length } = receiving.range;
    const isSmall = length <= maxInlineHashBytes;
    this.#digest = this.#newDigest();
    this.#block = isSmall ? undefined : resources.blocks.acquire(blockBytesFor(length));
    this.#buffer = this.#block?.bytes ?? Buffer.allocUnsafe(length);
  }

  /** Requests the missing bytes, or all of them if they may be of another version. */
  async proceed(): Promise<void> {
    const { range, sink } = this.receiving;
    if (this.done > 0 && !this.receiving.content.isResumable) this.#startOver();
    const { chunks } = await this.#request();
    const source = streamRange(chunks);
    try {
      while (this.done < range.length) {
        const room = this.#buffer.subarray(0, Math.min(this.#buffer.length, range.length - this.done));
        const bytes = room.subarray(0, await source.fill(room));
        if (bytes.length === 0) throw new UnavailableError('the connection closed early', { retryable: true });
        const hashing = this.#block && this.#digest?.update(this.#block, bytes.length);
        // Both must have finished with the buffer before it is reused.
        await Promise.allSettled([this.#write(sink, bytes), hashing]).then(throwFirst);
        this.done += bytes.length;
        this.resources.onBytes(bytes.length);
      }
      // A connection can be reused only if the response was read to its end.
      await source.fill(Buffer.alloc(1));
    } finally {
      await source.close();
    }
  }

  async #request(): Promise<ObjectResponse> {
    const { content, range, signal } = this.receiving;
    const isWhole = range.length === content.bytes;
    const missing = { start: range.offset + this.done, end: range.offset + range.length };
    try {
      return await content.get(isWhole && this.done === 0 ? undefined : missing, signal);
    } catch (error) {
      if (!isWhole || !(error instanceof NoRangesError)) throw error;
      this.#startOver();
      return await content.get(undefined, signal);
    }
  }

  #startOver(): void {
    this.forget();
    this.done = 0;
    this.#digest = this.#newDigest();
  }

  #newDigest(): Digest | undefined {
    const { range, hash } = this.receiving;
    return hash && range.length > maxInlineHashBytes ? this.resources.hasher?.createDigest() : undefined;
  }

  async md5(length: number): Promise<string> {
    return (await this.#digest?.end()) ?? md5(this.#buffer.subarray(0, length));
  }

  /** Subtracts the received bytes from the progress. */
  forget(): void {
    this.resources.onBytes(-this.done);
    this.#digest?.end().catch(() => {});
  }

  close(): void {
    if (this.#block) this.resources.blocks.release(this.#block);
  }

  async #write(sink: Sink, bytes: Buffer): Promise<void> {
    try {
      await sink(bytes, this.receiving.range.offset + this.done);
    } catch (cause) {
      throw toDiskError(cause);
    }
  }
}

function throwFirst(results: PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
