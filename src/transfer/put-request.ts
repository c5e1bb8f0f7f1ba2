import type { Readable } from 'node:stream';
import { dispatchRequest, type ReplyLimit } from '../api/dispatch.ts';
import { rejectWebPage } from '../api/reply.ts';
import { toConnectionError } from '../api/transport.ts';
import { toDiskError } from '../disk/index.ts';
import { GantryError, UnavailableError } from '../errors.ts';
import { type Block, blockBytesFor } from './block-pool.ts';
import type { ByteRange } from './byte-range.ts';
import { type Digest, md5 } from './hash.ts';
import type { TransferResources } from './resources.ts';
import { parseSignedUrl } from './signed-url.ts';
import { ChangedError, errorFromStorage } from './storage-errors.ts';

export interface PutRequest {
  /** A signed link: whoever holds it may write, so it is sent no token and shown to nobody. */
  url: string;
  /** Sent as the length before the first of them. */
  bytes: number;
  contentType: string;
  /** From its beginning. */
  read: () => Promise<ByteRange> | ByteRange;
}

/** What storage says about a PUT is short: of anything longer the rest is not read. */
const storageLimit: ReplyLimit = { bytes: 64 * 1024, truncates: true };

/** Up to this many bytes MD5 takes less time than asking a thread for it. */
const hashedAtOnce = 64 * 1024;

/**
 * One PUT to a signed link, tried once. Gives the ETag as the storage wrote it. Where the ETag is an MD5 it must be
 * that of the bytes which left; another is a failure that a repeat may cure.
 */
export async function sendPutRequest(
  sending: PutRequest,
  resources: TransferResources,
  signal: AbortSignal,
): Promise<string> {
  const url = parseSignedUrl(sending.url, 'upload');
  const body = new Body(sending, resources, signal);
  try {
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'PUT' as const,
      headers: { 'content-type': sending.contentType, 'content-length': String(sending.bytes) },
      body: await body.start(),
    };
    const { status, headers, body: said } = await dispatchRequest(resources.dispatcher, options, signal, storageLimit);
    if (status < 200 || status > 299) {
      throw errorFromStorage({ status, headers, body: said, what: 'upload' }, resources.now());
    }
    // Storage answers an upload with nothing, or in XML.
    rejectWebPage({ status, headers, body: said, host: url.host });
    const etag = String(headers.etag ?? '');
    await body.confirm(etag);
    return etag;
  } catch (cause) {
    body.takeBack();
    if (resources.signal.aborted) throw resources.signal.reason;
    if (cause instanceof GantryError || signal.aborted) throw cause;
    throw toConnectionError(url, cause);
  } finally {
    await body.close();
  }
}

/** What a PUT sends, over two blocks used in turn: one is filled while the other is on its way. */
class Body {
  readonly #blocks: Block[] = [];
  #digest: Digest | undefined;
  #md5: string | undefined;
  #hashing: (Promise<void> | undefined)[] = [];
  #filling: Promise<number> | undefined;
  #isOver = false;
  #sent = 0;

  constructor(
    private readonly sending: PutRequest,
    private readonly resources: TransferResources,
    private readonly signal: AbortSignal,
  ) {}

  /** A few bytes are read before; more while they are sent. */
  async start(): Promise<Buffer | Readable> {
    const { bytes } = this.sending;
    // undici takes any async iterable; its types know streams only.
    if (bytes > hashedAtOnce || this.resources.rateLimit) return this.#contents() as unknown as Readable;
    const stretch = await this.sending.read();
    const buffer = stretch.content?.length === bytes ? stretch.content : await whole(stretch, bytes);
    if (this.resources.hasher) this.#md5 = md5(buffer);
    this.#sent = bytes;
    this.resources.onBytes(bytes);
    return buffer;
  }

  async *#contents(): AsyncGenerator<Buffer> {
    const { bytes, read } = this.sending;
    const { rateLimit, hasher, onBytes } = this.resources;
    const stretch = await read();
    const step = this.#step();
    if (bytes > Math.min(hashedAtOnce, step)) this.#digest = hasher?.createDigest();
    try {
      for (let turn = 0; this.#sent < bytes; turn = 1 - turn) {
        const length = Math.min(step, bytes - this.#sent);
        const buffer = await this.#room(turn, length);
        if (this.#isOver) return;
        this.#filling = filled(stretch, buffer);
        if ((await this.#filling) < length) throw shorter();
        if (this.#isOver) return;
        this.#hash(turn, length);
        if (hasher && !this.#digest && bytes === length) this.#md5 = md5(buffer);
        await rateLimit?.wait(length, this.signal);
        yield buffer;
        this.#sent += length;
        onBytes(length);
      }
    } finally {
      await stretch.close();
    }
  }

  /** Throws when the ETag says that something else has arrived. */
  async confirm(etag: string): Promise<void> {
    const { hasher } = this.resources;
    const arrived = parseMd5Etag(etag);
    if (!hasher || !arrived) return;
    const left = await (this.#digest?.end() ?? this.#md5 ?? md5(Buffer.alloc(0)));
    this.#digest = undefined;
    if (left === arrived) return;
    throw new UnavailableError('checksum mismatch (MD5): the storage received different bytes', {
      why: 'some storage encrypts files and returns checksums of the encrypted bytes',
      fix: 'pass --no-check if it happens again',
      retryable: true,
    });
  }

  /** What was counted as sent has to be sent again. */
  takeBack(): void {
    this.resources.onBytes(-this.#sent);
  }

  /** Only now has the last byte left, or nobody wants it: the blocks may be used for something else. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled([this.#filling, ...this.#hashing]);
    void this.#digest?.end().catch(() => {});
    this.resources.blocks.release(...this.#blocks);
  }

  /** Under a limit of the rate, less at a time: a connection must not be silent for long. */
  #step(): number {
    const { rateLimit } = this.resources;
    const most = blockBytesFor(this.sending.bytes);
    return rateLimit ? Math.max(1024, Math.min(most, Math.floor(rateLimit.bytesPerSecond / 8))) : most;
  }

  #hash(turn: number, length: number): void {
    const block = this.#blocks[turn];
    if (!this.#digest || !block) return;
    const hashing = this.#digest.update(block, length);
    // Whoever comes to it will hear of the failure.
    hashing.catch(() => {});
    this.#hashing[turn] = hashing;
  }

  async #room(turn: number, length: number): Promise<Buffer> {
    // The line may still hold a small piece when the next but one is asked for: those get memory of their own.
    const alone = length < hashedAtOnce && !this.#digest;
    if (alone) return Buffer.allocUnsafe(length);
    this.#blocks[turn] ??= this.resources.blocks.acquire(blockBytesFor(this.sending.bytes));
    await this.#hashing[turn];
    return (this.#blocks[turn] as Block).bytes.subarray(0, length);
  }
}

async function whole(stretch: ByteRange, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  if ((await filled(stretch, buffer).finally(() => stretch.close())) < bytes) throw shorter();
  return buffer;
}

function shorter(): ChangedError {
  return new ChangedError('the file became shorter during the upload');
}

async function filled(stretch: ByteRange, buffer: Buffer): Promise<number> {
  try {
    return await stretch.fill(buffer);
  } catch (cause) {
    throw toDiskError(cause);
  }
}

/** The MD5 in an ETag, if it is one: S3 gives others for encrypted or composed objects. */
export function parseMd5Etag(etag: string): string | undefined {
  return /^(?:W\/)?"?([0-9a-f]{32})"?$/i.exec(etag)?.[1]?.toLowerCase();
}
