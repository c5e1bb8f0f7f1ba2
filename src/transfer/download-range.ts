import { withRetries } from '../api/retry.ts';
import { toDiskError } from '../disk/index.ts';
import { UnavailableError } from '../errors.ts';
import { type Block, blockBytesFor } from './block-pool.ts';
import { streamRange } from './byte-range.ts';
import { type Digest, md5 } from './hash.ts';
import type { Part } from './parts.ts';
import type { ObjectResponse } from './range-request.ts';
import type { RemoteContent } from './remote-content.ts';
import { maxSmallBytes, type TransferResources } from './resources.ts';
import { isOverload, NoRangesError } from './storage-errors.ts';

/** Takes bytes that belong at this place of the file; they are its own only until it returns. */
export type Sink = (bytes: Buffer, offset: number) => Promise<unknown>;

export interface RangeDownload {
  content: RemoteContent;
  range: Part;
  sink: Sink;
  signal: AbortSignal;
  /** Whether its MD5 is wanted. */
  hash: boolean;
  /** Files of a lower number are ended first. */
  order: number;
}

/**
 * Receives a range; each try goes on where the one before has ended. Gives the MD5 of what came, in hex, if it
 * is wanted and anything is checked.
 */
export async function downloadRange(
  receiving: RangeDownload,
  resources: TransferResources,
): Promise<string | undefined> {
  const { range, content, signal, order } = receiving;
  const gate = content.bytes > maxSmallBytes ? resources.large : resources.small;
  const task = new Task(receiving, resources);
  try {
    await withRetries(
      () => gate.run(() => task.proceed(), order),
      (error) => {
        if (isOverload(error)) gate.reduce();
        return error.facts.retryable === true && !signal.aborted;
      },
      resources,
    );
    return receiving.hash && resources.hasher ? await task.md5(range.length) : undefined;
  } catch (error) {
    task.forget();
    throw error;
  } finally {
    task.close();
  }
}

class Task {
  done = 0;
  #digest: Digest | undefined;
  readonly #block: Block | undefined;
  readonly #buffer: Buffer;

  constructor(
    private readonly receiving: RangeDownload,
    private readonly resources: TransferResources,
  ) {
    const { length } = receiving.range;
    const few = length <= hashedAtOnce;
    this.#digest = this.#newDigest();
    this.#block = few ? undefined : resources.blocks.acquire(blockBytesFor(length));
    this.#buffer = this.#block?.bytes ?? Buffer.allocUnsafe(length);
  }

  /** One request for what is missing; for all of it where that may be of another version than what has come. */
  async proceed(): Promise<void> {
    const { range, sink } = this.receiving;
    if (this.done > 0 && !this.receiving.content.isResumable) this.#startOver();
    const { chunks } = await this.#request();
    const stretch = streamRange(chunks);
    try {
      while (this.done < range.length) {
        const room = this.#buffer.subarray(0, Math.min(this.#buffer.length, range.length - this.done));
        const bytes = room.subarray(0, await stretch.fill(room));
        if (bytes.length === 0) throw new UnavailableError('the connection closed early', { retryable: true });
        const hashing = this.#block && this.#digest?.update(this.#block, bytes.length);
        // Both are done with the buffer, whatever becomes of them, before it is used again.
        await Promise.allSettled([this.#keep(sink, bytes), hashing]).then(throwFirst);
        this.done += bytes.length;
        this.resources.onBytes(bytes.length);
      }
      // Read to its very end, the connection can be used again.
      await stretch.fill(Buffer.alloc(1));
    } finally {
      await stretch.close();
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
    return hash && range.length > hashedAtOnce ? this.resources.hasher?.createDigest() : undefined;
  }

  async md5(length: number): Promise<string> {
    return (await this.#digest?.end()) ?? md5(this.#buffer.subarray(0, length));
  }

  /** What was counted as received is of no use. */
  forget(): void {
    this.resources.onBytes(-this.done);
    this.#digest?.end().catch(() => {});
  }

  close(): void {
    if (this.#block) this.resources.blocks.release(this.#block);
  }

  async #keep(sink: Sink, bytes: Buffer): Promise<void> {
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

/** Up to this many bytes MD5 takes less time than asking a thread for it. */
const hashedAtOnce = 64 * 1024;
