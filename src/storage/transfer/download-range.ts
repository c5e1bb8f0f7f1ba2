import { toDiskError } from '../../kernel/disk/index.ts';
import { type Block, blockBytesFor } from './block-pool.ts';
import { type Digest, maxInlineHashBytes } from './hash.ts';
import type { Part } from './parts.ts';
import type { Piece, ResponseForm } from './range-request.ts';
import type { RemoteContent } from './remote-content.ts';
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
    return await attempt.md5();
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
  /** For hashed bytes that come without one. */
  #block: Block | undefined;

  constructor(
    private readonly download: RangeDownload,
    private readonly resources: TransferContext,
  ) {
    if (download.hash && resources.check) this.#digest = resources.hasher.createDigest();
  }

  async proceed(): Promise<void> {
    const { content, range, signal } = this.download;
    const missing = { start: range.offset + this.done, end: range.offset + range.length };
    const isWhole = missing.end - missing.start === content.bytes;
    const { pieces } = await content.get(isWhole ? undefined : missing, signal, formOf(range));
    for await (const piece of pieces) await this.#take(piece);
  }

  /** Both the hash and the sink have finished with the bytes when it resolves. */
  async #take(piece: Piece): Promise<void> {
    const { bytes } = piece;
    await Promise.allSettled([this.#write(this.download.sink, bytes), this.#hash(piece)]).then(throwFirst);
    this.done += bytes.length;
    this.resources.onBytes(bytes.length);
  }

  async #hash({ bytes, block }: Piece): Promise<void> {
    if (!this.#digest) return;
    if (block) return this.#digest.update(block, bytes.length);
    this.#block ??= this.resources.blocks.acquire(blockBytesFor(this.download.range.length));
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.copy(this.#block.bytes, 0, at);
      await this.#digest.update(this.#block, length);
      at += length;
    }
  }

  async md5(): Promise<string | undefined> {
    return this.#digest?.end();
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
