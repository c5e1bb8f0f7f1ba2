import type { Readable } from 'node:stream';
import { exchange, type ReplyLimit } from '../api/exchange.ts';
import { refuseWebPage } from '../api/reply.ts';
import { connectionFailure } from '../api/transport.ts';
import { diskFailure } from '../disk/index.ts';
import { GantryError, UnavailableError } from '../errors.ts';
import { type Block, blockBytesFor } from './blocks.ts';
import type { Stretch } from './byte-range.ts';
import { type Digest, md5 } from './hash.ts';
import type { Engine } from './resources.ts';
import { signedUrl } from './signed-url.ts';
import { ChangedError, refusal } from './storage-errors.ts';

export interface Sending {
  /** A signed link: whoever holds it may write, so it is sent no token and shown to nobody. */
  url: string;
  /** Sent as the length before the first of them. */
  bytes: number;
  contentType: string;
  /** From its beginning. */
  read: () => Promise<Stretch> | Stretch;
}

/** What storage says about a PUT is short: of anything longer the rest is not read. */
const storageLimit: ReplyLimit = { bytes: 64 * 1024, isCut: true };

/** Up to this many bytes MD5 takes less time than asking a thread for it. */
const hashedAtOnce = 64 * 1024;

/**
 * One PUT to a signed link, tried once. Gives the ETag as the storage wrote it. Where the ETag is an MD5 it must be
 * that of the bytes which left; another is a failure that a repeat may cure.
 */
export async function sendOnce(sending: Sending, engine: Engine, signal: AbortSignal): Promise<string> {
  const url = signedUrl(sending.url, 'upload');
  const body = new Body(sending, engine, signal);
  try {
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'PUT' as const,
      headers: { 'content-type': sending.contentType, 'content-length': String(sending.bytes) },
      body: await body.start(),
    };
    const { status, headers, body: said } = await exchange(engine.dispatcher, options, signal, storageLimit);
    if (status < 200 || status > 299) {
      throw refusal({ status, headers, said, what: 'upload' }, engine.now());
    }
    // Storage answers an upload with nothing, or in XML.
    refuseWebPage({ status, headers, body: said, host: url.host });
    const etag = String(headers.etag ?? '');
    await body.confirm(etag);
    return etag;
  } catch (cause) {
    body.takeBack();
    if (engine.signal.aborted) throw engine.signal.reason;
    if (cause instanceof GantryError || signal.aborted) throw cause;
    throw connectionFailure(url, cause);
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
    private readonly sending: Sending,
    private readonly engine: Engine,
    private readonly signal: AbortSignal,
  ) {}

  /** A few bytes are read before; more while they are sent. */
  async start(): Promise<Buffer | Readable> {
    const { bytes } = this.sending;
    // undici takes any async iterable; its types know streams only.
    if (bytes > hashedAtOnce || this.engine.rate) return this.#contents() as unknown as Readable;
    const stretch = await this.sending.read();
    const buffer = stretch.content?.length === bytes ? stretch.content : await whole(stretch, bytes);
    if (this.engine.hasher) this.#md5 = md5(buffer);
    this.#sent = bytes;
    this.engine.onBytes(bytes);
    return buffer;
  }

  async *#contents(): AsyncGenerator<Buffer> {
    const { bytes, read } = this.sending;
    const { rate, hasher, onBytes } = this.engine;
    const stretch = await read();
    const step = this.#step();
    if (bytes > Math.min(hashedAtOnce, step)) this.#digest = hasher?.begin();
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
        await rate?.take(length, this.signal);
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
    const { hasher } = this.engine;
    const arrived = plainMd5(etag);
    if (!hasher || !arrived) return;
    const left = await (this.#digest?.end() ?? this.#md5 ?? md5(Buffer.alloc(0)));
    this.#digest = undefined;
    if (left === arrived) return;
    throw new UnavailableError('something else arrived than was sent (MD5)', {
      why: 'some storage encrypts files and sends checksums of what it stores',
      fix: 'pass --no-check if it happens again',
      retryable: true,
    });
  }

  /** What was counted as sent has to be sent again. */
  takeBack(): void {
    this.engine.onBytes(-this.#sent);
  }

  /** Only now has the last byte left, or nobody wants it: the blocks may be used for something else. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled([this.#filling, ...this.#hashing]);
    void this.#digest?.end().catch(() => {});
    this.engine.blocks.give(...this.#blocks);
  }

  /** Under a limit of the rate, less at a time: a connection must not be silent for long. */
  #step(): number {
    const { rate } = this.engine;
    const most = blockBytesFor(this.sending.bytes);
    return rate ? Math.max(1024, Math.min(most, Math.floor(rate.bytesPerSecond / 8))) : most;
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
    this.#blocks[turn] ??= this.engine.blocks.take(blockBytesFor(this.sending.bytes));
    await this.#hashing[turn];
    return (this.#blocks[turn] as Block).bytes.subarray(0, length);
  }
}

async function whole(stretch: Stretch, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  if ((await filled(stretch, buffer).finally(() => stretch.close())) < bytes) throw shorter();
  return buffer;
}

function shorter(): ChangedError {
  return new ChangedError('it became shorter while it was being sent');
}

async function filled(stretch: Stretch, buffer: Buffer): Promise<number> {
  try {
    return await stretch.fill(buffer);
  } catch (cause) {
    throw diskFailure(cause);
  }
}

/** The MD5 in an ETag, if it is one: S3 gives others for encrypted or composed objects. */
export function plainMd5(etag: string): string | undefined {
  return /^(?:W\/)?"?([0-9a-f]{32})"?$/i.exec(etag)?.[1]?.toLowerCase();
}
