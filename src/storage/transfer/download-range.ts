import { toDiskError } from '../../kernel/disk/index.ts';
import { type Block, blockBytesFor } from './block-pool.ts';
import { streamSource } from './byte-source.ts';
import type { ReceivedBlock } from './download-connection.ts';
import { type Digest, maxInlineHashBytes, md5 } from './hash.ts';
import type { Part } from './parts.ts';
import type { ObjectResponse, ResponseForm } from './range-request.ts';
import type { RemoteContent } from './remote-content.ts';
import { closedEarlyError } from './storage-errors.ts';
import { maxSmallBytes, repeated, requestKind, type TransferContext } from './transfer-context.ts';

/** Takes bytes at this offset of the file. The buffer is reused after it resolves. */
export type Sink = (bytes: Buffer, offset: number) => Promise<unknown>;

export interface RangeDownload {
  content: RemoteContent;
  range: Part;
  sink: Sink;
  signal: AbortSignal;
  hash: boolean;
  order: number;
}

/** Each retry resumes where the last one ended. Returns the MD5 in hex with `hash`, unless checksums are off. */
export async function downloadRange(download: RangeDownload, resources: TransferContext): Promise<string | undefined> {
  const { range, content, signal, order } = download;
  const { requests } = resources;
  const request = { kind: requestKind(content.bytes), order };
  const attempt = new RangeAttempt(download, resources);
  try {
    const proceed = () => requests.run({ ...request, bytes: range.length - attempt.done }, () => attempt.proceed());
    await repeated(proceed, resources, () => !signal.aborted);
    return download.hash && resources.hasher ? await attempt.md5(range.length) : undefined;
  } catch (error) {
    attempt.forget();
    throw error;
  } finally {
    attempt.close();
  }
}

class RangeAttempt {
  done = 0;
  readonly #digest: Digest | undefined;
  #block: Block | undefined;
  #whole: Buffer | undefined;

  constructor(
    private readonly download: RangeDownload,
    private readonly resources: TransferContext,
  ) {
    const { range, hash } = download;
    if (hash && range.length > maxInlineHashBytes) this.#digest = resources.hasher?.createDigest();
  }

  async proceed(): Promise<void> {
    const { chunks, blocks, whole } = await this.#request();
    if (whole) {
      this.#whole = whole;
      await this.#take(whole, undefined);
    } else await (blocks ? this.#takeBlocks(blocks) : this.#takeChunks(chunks));
  }

  async #takeBlocks(blocks: AsyncGenerator<ReceivedBlock>): Promise<void> {
    for await (const { block, length } of blocks) await this.#take(block.bytes.subarray(0, length), block);
    if (this.done < this.download.range.length) throw closedEarlyError();
  }

  async #takeChunks(chunks: AsyncGenerator<Buffer>): Promise<void> {
    const { length } = this.download.range;
    const source = streamSource(chunks);
    const buffer = this.#buffer();
    try {
      while (this.done < length) {
        const room = buffer.subarray(0, Math.min(buffer.length, length - this.done));
        const bytes = room.subarray(0, await source.fill(room));
        await this.#take(bytes, this.#block);
      }
      // A connection can be reused only if the response was read to its end.
      await source.fill(Buffer.alloc(1));
    } finally {
      await source.close();
    }
  }

  /** The whole range if it is short, and otherwise a block. */
  #buffer(): Buffer {
    const { length } = this.download.range;
    if (length <= maxInlineHashBytes) {
      this.#whole ??= Buffer.allocUnsafe(length);
      return this.#whole;
    }
    this.#block ??= this.resources.blocks.acquire(blockBytesFor(length));
    return this.#block.bytes;
  }

  /** Both the hash and the sink have finished with the bytes when it resolves. */
  async #take(bytes: Buffer, block: Block | undefined): Promise<void> {
    const hashing = block && this.#digest?.update(block, bytes.length);
    await Promise.allSettled([this.#write(this.download.sink, bytes), hashing]).then(throwFirst);
    this.done += bytes.length;
    this.resources.onBytes(bytes.length);
  }

  async #request(): Promise<ObjectResponse> {
    const { content, range, signal } = this.download;
    const missing = { start: range.offset + this.done, end: range.offset + range.length };
    const isWhole = missing.end - missing.start === content.bytes;
    return content.get(isWhole ? undefined : missing, signal, formOf(range));
  }

  async md5(length: number): Promise<string> {
    return (await this.#digest?.end()) ?? md5(this.#buffer().subarray(0, length));
  }

  forget(): void {
    this.resources.onBytes(-this.done);
    this.#digest?.end().catch(() => {});
  }

  close(): void {
    if (this.#block) this.resources.blocks.release(this.#block);
  }

  async #write(sink: Sink, bytes: Buffer): Promise<void> {
    try {
      await sink(bytes, this.download.range.offset + this.done);
    } catch (cause) {
      throw toDiskError(cause);
    }
  }
}

function formOf({ length }: Part): ResponseForm | undefined {
  if (length <= maxInlineHashBytes) return 'whole';
  return length > maxSmallBytes ? 'blocks' : undefined;
}

function throwFirst(results: PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
