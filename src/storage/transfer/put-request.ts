import type { Readable } from 'node:stream';
import { toDiskError } from '../../kernel/disk/index.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { begun } from '../../kernel/once.ts';
import { dispatchRequest } from '../../platform/api/dispatch.ts';
import { rejectWebPage } from '../../platform/api/reply.ts';
import { type Block, blockBytesFor } from './block-pool.ts';
import type { ByteSource } from './byte-source.ts';
import { type Digest, maxInlineHashBytes, md5, parseMd5Etag } from './hash.ts';
import { requestError } from './range-request.ts';
import { parseSignedUrl } from './signed-url.ts';
import { ChangedError, errorFromStorage } from './storage-errors.ts';
import type { TransferContext } from './transfer-context.ts';

export interface PutRequest {
  /** A signed URL. It grants write access: send no token with it, and do not log it. */
  url: string;
  bytes: number;
  contentType: string;
  read: () => Promise<ByteSource> | ByteSource;
}

/** Replies of storage are short; anything longer is truncated. */
const storageLimit = { bytes: 64 * 1024, truncates: true } as const;

/** Returns the ETag as sent. If it is an MD5 that differs from that of the bytes, throws a retryable error. */
export async function sendPutRequest(
  sending: PutRequest,
  resources: TransferContext,
  signal: AbortSignal,
): Promise<string> {
  const url = parseSignedUrl(sending.url, 'upload');
  const body = new UploadBody(sending, resources, signal);
  try {
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'PUT' as const,
      headers: { 'content-type': sending.contentType, 'content-length': String(sending.bytes) },
      body: await body.start(),
    };
    const limit = { ...storageLimit, silenceMs: resources.silenceMs };
    const { status, headers, body: said } = await dispatchRequest(resources.dispatcher, options, signal, limit);
    // Only 200 says that the bytes are stored (docs/platform.md#uploads).
    if (status !== 200) throw errorFromStorage({ status, headers, body: said, what: 'upload' }, resources.now());
    // Storage replies to an upload with an empty body or XML.
    rejectWebPage({ status, headers, body: said, host: url.host });
    resources.storageClock.observe(headers);
    const etag = String(headers.etag ?? '');
    await body.verify(etag);
    return etag;
  } catch (cause) {
    body.subtractProgress();
    throw requestError(cause, url, resources, signal);
  } finally {
    await body.close();
  }
}

/** The body of a PUT, with two alternating blocks: one is filled while the other is sent. */
class UploadBody {
  readonly #blocks: Block[] = [];
  #digest: Digest | undefined;
  #md5: string | undefined;
  #hashing: (Promise<void> | undefined)[] = [];
  #filling: Promise<number> | undefined;
  #isClosed = false;
  #sent = 0;

  constructor(
    private readonly sending: PutRequest,
    private readonly resources: TransferContext,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns small content as a buffer, and larger content as a stream. */
  async start(): Promise<Buffer | Readable> {
    const { bytes } = this.sending;
    // undici takes any async iterable; its types know streams only.
    if (bytes > maxInlineHashBytes) return this.#chunks() as unknown as Readable;
    const range = await this.sending.read();
    const buffer = range.content?.length === bytes ? range.content : await readAll(range, bytes);
    if (this.resources.check) this.#md5 = md5(buffer);
    await this.resources.rateLimit?.wait(bytes, this.signal);
    this.#sent = bytes;
    this.resources.onBytes(bytes);
    return buffer;
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    const { bytes, read } = this.sending;
    const { rateLimit, check, hasher, onBytes } = this.resources;
    const range = await read();
    const chunkBytes = this.#chunkBytes();
    if (check) this.#digest = hasher.createDigest();
    try {
      for (let turn = 0; this.#sent < bytes; turn = 1 - turn) {
        const length = Math.min(chunkBytes, bytes - this.#sent);
        const buffer = await this.#buffer(turn, length);
        if (this.#isClosed) return;
        this.#filling = fill(range, buffer);
        if ((await this.#filling) < length) throw shorterError();
        if (this.#isClosed) return;
        this.#hash(turn, length);
        await rateLimit?.wait(length, this.signal);
        yield buffer;
        this.#sent += length;
        onBytes(length);
      }
    } finally {
      await range.close();
    }
  }

  async verify(etag: string): Promise<void> {
    const expected = parseMd5Etag(etag);
    if (!this.resources.check || !expected) return;
    const sent = await (this.#digest?.end() ?? this.#md5);
    this.#digest = undefined;
    if (sent === expected) return;
    throw new UnavailableError('checksum mismatch (MD5): the storage received different bytes', {
      why: 'some storage encrypts files and returns checksums of the encrypted bytes',
      fix: 'pass --no-checksum if it happens again',
      retryable: true,
    });
  }

  subtractProgress(): void {
    this.resources.onBytes(-this.#sent);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#filling, ...this.#hashing]);
    void this.#digest?.end().catch(() => {});
    this.resources.blocks.release(...this.#blocks);
  }

  /** Smaller with a rate limit, so that the connection is not silent for long. */
  #chunkBytes(): number {
    const { rateLimit } = this.resources;
    const maxBytes = blockBytesFor(this.sending.bytes);
    return rateLimit ? Math.max(1024, Math.min(maxBytes, Math.floor(rateLimit.bytesPerSecond / 8))) : maxBytes;
  }

  #hash(turn: number, length: number): void {
    const block = this.#blocks[turn];
    if (!this.#digest || !block) return;
    this.#hashing[turn] = begun(this.#digest.update(block, length));
  }

  async #buffer(turn: number, length: number): Promise<Buffer> {
    // The socket may still hold a small chunk when its block is needed again, so small chunks get their own memory.
    const isSmall = length < maxInlineHashBytes && !this.#digest;
    if (isSmall) return Buffer.allocUnsafe(length);
    this.#blocks[turn] ??= this.resources.blocks.acquire(blockBytesFor(this.sending.bytes));
    await this.#hashing[turn];
    return (this.#blocks[turn] as Block).bytes.subarray(0, length);
  }
}

async function readAll(range: ByteSource, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  if ((await fill(range, buffer).finally(() => range.close())) < bytes) throw shorterError();
  return buffer;
}

function shorterError(): ChangedError {
  return new ChangedError('the file became shorter during the upload');
}

async function fill(range: ByteSource, buffer: Buffer): Promise<number> {
  try {
    return await range.fill(buffer);
  } catch (cause) {
    throw toDiskError(cause);
  }
}
