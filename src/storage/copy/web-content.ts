import { FailedError } from '../../kernel/errors.ts';
import { begun } from '../../kernel/once.ts';
import { type Block, blockBytesFor } from '../transfer/block-pool.ts';
import { type ByteSource, type PartReader, streamSource, type TakenPart } from '../transfer/byte-source.ts';
import type { Digest } from '../transfer/hash.ts';
import { mib, type Part, type SentPart } from '../transfer/parts.ts';
import type { Piece } from '../transfer/range-request.ts';
import { checkSum, resumed } from '../transfer/read-content.ts';
import { RemoteContent } from '../transfer/remote-content.ts';
import { ChangedError } from '../transfer/storage-errors.ts';
import { TaskQueue } from '../transfer/task-queue.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import { locateWebFile, type WebAddress, type WebFile } from '../transfer/web-file.ts';
import type { SourceContent } from './ports.ts';

/** The size and the time of a file on the web. Throws a FailedError if its server does not tell the size. */
export async function webFileSize(
  web: WebFile,
  resources: TransferContext,
): Promise<{ bytes: number; modified: number | undefined }> {
  const { bytes, modified } = await locateWebFile(web, resources);
  if (bytes !== undefined) return { bytes, modified };
  throw new FailedError(`${new URL(web.url).host} does not tell the size of the file`);
}

/** Several connections share the memory for parts. */
const maxPartBytes = 8 * mib;

/** A file on the web, whose checksum is known: its parts are relayed to the volume. */
export async function openWebFile(web: WebFile, bytes: number, resources: TransferContext): Promise<SourceContent> {
  let located: WebAddress | undefined = await locateWebFile(web, resources);
  const { hasRanges } = located;
  const createUrl = async () => {
    const address = located ?? (await locateWebFile(web, resources));
    located = undefined;
    return address;
  };
  // The upload limits the rate, and the checksum tells whether versions were mixed.
  const receiving = { ...resources, dispatcher: resources.sourceDispatcher, rateLimit: undefined };
  const content = new RemoteContent(bytes, createUrl, receiving, undefined, true);
  const response = new OneResponse(content, resources.signal);
  const open: OpenRange = hasRanges ? rangeOf(content) : async (...range) => response.read(...range);
  let relay: Relay | undefined;
  return {
    bytes,
    maxPartBytes,
    mark: `${bytes}:${web.sum.algorithm}:${web.sum.hex}`,
    createReader: (sent) => {
      relay = new Relay({ bytes, sent, web }, open, resources);
      return relay;
    },
    resumable: resumableParts,
    checkUnchanged: async () => relay?.prove(),
    original: web.sum,
    close: async () => response.close(),
  };
}

function rangeOf(content: RemoteContent): OpenRange {
  return async (start, end, signal) => {
    const isWhole = start === 0 && end === content.bytes;
    return (await content.get(isWhole ? undefined : { start, end }, signal)).pieces;
  };
}

/** Read at a time, of a response that several ranges share. */
const chunkBytes = 64 * 1024;

/** For a server that sends whole files only: the ranges, which are asked for in their order, take turns with one response. */
class OneResponse {
  readonly #turns = new TaskQueue(1);
  #open: { at: number; source: ByteSource } | undefined;
  readonly #closing = new AbortController();

  constructor(
    private readonly content: RemoteContent,
    private readonly signal: AbortSignal,
  ) {}

  /** Skips what is before the range, and begins anew where the response is beyond it. */
  async *read(start: number, end: number, signal: AbortSignal): AsyncGenerator<Piece> {
    const leave = await enter(this.#turns, 1, signal);
    try {
      if (!this.#open || this.#open.at > start) this.#open = { at: 0, source: streamSource(this.#request()) };
      for (const open = this.#open; open.at < end; ) {
        signal.throwIfAborted();
        const { at, source } = open;
        const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, (at < start ? start : end) - at));
        const filled = await source.fill(chunk);
        if (filled === 0) throw new ChangedError('the file is shorter than its server said');
        open.at += filled;
        if (at >= start) yield { bytes: chunk.subarray(0, filled) };
      }
    } catch (error) {
      this.#open = undefined;
      throw error;
    } finally {
      leave();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async *#request(): AsyncGenerator<Buffer> {
    const until = AbortSignal.any([this.signal, this.#closing.signal]);
    for await (const { bytes } of (await this.content.get(undefined, until)).pieces) yield bytes;
  }
}

/** Resolves when there is room in a queue, to what gives it back. */
function enter(queue: TaskQueue, places: number, signal: AbortSignal): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const stay = (leave: () => void) => {
      if (!signal.aborted) return resolve(leave);
      reject(signal.reason);
      leave();
    };
    queue.add(() => new Promise<void>(stay), places);
  });
}

/** The bytes from an offset to another one; they may be asked for in any order. */
type OpenRange = (start: number, end: number, signal: AbortSignal) => Promise<AsyncGenerator<Piece>>;

/**
 * Sends a file of the web on while it is received: nothing is on this disk, and a few parts are in memory. They arrive and
 * leave at the same time, and are hashed in their order, so that the checksum of the whole file is known before the upload
 * is completed.
 */
class Relay implements PartReader {
  readonly #sha256: Digest;
  readonly #blob: Digest | undefined;
  /** Resolves when all parts that were taken are hashed. */
  #hashed: Promise<unknown> = Promise.resolve();

  /** `sent` are the parts of an earlier attempt, as {@link resumableParts} left them. */
  constructor(
    private readonly file: { bytes: number; sent: readonly SentPart[]; web: WebFile },
    private readonly open: OpenRange,
    private readonly resources: TransferContext,
  ) {
    const { bytes, sent, web } = file;
    const { hasher } = resources;
    this.#sha256 = hasher.createDigest({ algorithm: 'sha256', state: sent.at(-1)?.sha256State });
    if (web.sum.algorithm === 'git-blob') this.#blob = hasher.createDigest({ algorithm: 'git-blob', bytes });
  }

  async take(part: Part, signal: AbortSignal): Promise<TakenPart> {
    const leave = await enter(this.resources.relayRoom, part.length, signal);
    const received = new ReceivedPart(part, this.open, this.resources, signal);
    const hashing = begun(this.#hashed.then(() => this.#hash(received)));
    this.#hashed = hashing;
    return {
      read: () => received.read(),
      settle: async () => {
        const sha256State = await hashing;
        return this.#blob ? {} : { sha256State };
      },
      release: (failure) => {
        void received.close(failure).finally(leave);
      },
    };
  }

  /** Throws a ChangedError if what was sent has another checksum than the file must have. Call it once. */
  async prove(): Promise<void> {
    await this.#hashed;
    const sha256 = await this.#sha256.end();
    checkSum(this.file.web.sum, (await this.#blob?.end()) ?? sha256);
    this.file.web.onProven?.(sha256);
  }

  async #hash(part: ReceivedPart): Promise<string | undefined> {
    for await (const { block, length } of part.blocks()) {
      await Promise.all([this.#sha256.update(block, length), this.#blob?.update(block, length)]);
    }
    return this.#sha256.state();
  }
}

/** What need not be read again: the parts up to the last one before a gap whose checksum was saved. */
function resumableParts(sent: readonly SentPart[]): SentPart[] {
  const inOrder = sent.toSorted((a, b) => a.number - b.number);
  const gap = inOrder.findIndex(({ number, sha256State }, at) => number !== at + 1 || sha256State === undefined);
  return gap === -1 ? inOrder : inOrder.slice(0, gap);
}

/** A part in memory, from its first byte to arrive until it is sent and hashed. */
class ReceivedPart {
  readonly #blocks: Block[] = [];
  readonly #blockBytes: number;
  readonly #closing = new AbortController();
  readonly #receiving: Promise<void>;
  #bytes = 0;
  #failure: { error: unknown } | undefined;
  #wake: (() => void)[] = [];

  constructor(
    private readonly part: Part,
    private readonly open: OpenRange,
    private readonly resources: TransferContext,
    signal: AbortSignal,
  ) {
    this.#blockBytes = blockBytesFor(part.length);
    this.#receiving = this.#receive(AbortSignal.any([signal, this.#closing.signal])).catch((error: unknown) => {
      this.#failure = { error };
      this.#notify();
    });
  }

  /** The part from its start, as it arrives. */
  read(): ByteSource {
    let at = 0;
    return {
      fill: async (buffer) => {
        const wanted = Math.min(buffer.length, this.part.length - at);
        await this.#arrived(at + wanted);
        for (let filled = 0; filled < wanted; ) {
          const offset = at % this.#blockBytes;
          const block = this.#blocks[Math.floor(at / this.#blockBytes)];
          const copied = block?.bytes.copy(buffer, filled, offset, offset + wanted - filled) ?? 0;
          filled += copied;
          at += copied;
        }
        return wanted;
      },
      close: async () => {},
    };
  }

  /** Each block once it is full. */
  async *blocks(): AsyncGenerator<{ block: Block; length: number }> {
    for (let at = 0; at < this.part.length; at += this.#blockBytes) {
      const length = Math.min(this.#blockBytes, this.part.length - at);
      await this.#arrived(at + length);
      const block = this.#blocks[at / this.#blockBytes];
      if (block) yield { block, length };
    }
  }

  async close(error: unknown): Promise<void> {
    this.#failure ??= { error };
    this.#closing.abort();
    this.#notify();
    await this.#receiving;
    this.resources.blocks.release(...this.#blocks.splice(0));
  }

  async #receive(signal: AbortSignal): Promise<void> {
    const { offset, length } = this.part;
    const open = (from: number) => this.open(from, offset + length, signal);
    for await (const chunk of resumed(offset, open, { ...this.resources, signal })) {
      signal.throwIfAborted();
      this.#add(chunk);
    }
  }

  #add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const offset = this.#bytes % this.#blockBytes;
      if (offset === 0) this.#blocks.push(this.resources.blocks.acquire(this.#blockBytes));
      const copied = chunk.copy(this.#blocks.at(-1)?.bytes as Buffer, offset, at);
      this.#bytes += copied;
      at += copied;
    }
    this.#notify();
  }

  async #arrived(bytes: number): Promise<void> {
    while (this.#bytes < bytes) {
      if (this.#failure) throw this.#failure.error;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
