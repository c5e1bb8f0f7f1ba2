import { FailedError } from '../../kernel/errors.ts';
import { mib } from '../transfer/parts.ts';
import { type ReadRange, Relay, resumableParts } from '../transfer/relay.ts';
import { RemoteContent } from '../transfer/remote-content.ts';
import { ChangedError } from '../transfer/storage-errors.ts';
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
  const readRange: ReadRange = hasRanges ? byRanges(content) : response.read.bind(response);
  let relay: Relay | undefined;
  return {
    bytes,
    maxPartBytes,
    mark: `${bytes}:${web.sum.algorithm}:${web.sum.hex}`,
    createReader: (sent) => {
      relay = new Relay({ bytes, sent, web }, readRange, resources);
      return relay;
    },
    resumable: resumableParts,
    checkUnchanged: async () => relay?.prove(),
    original: web.sum,
    close: async () => response.close(),
  };
}

function byRanges(content: RemoteContent): ReadRange {
  return async function* (start, end, signal) {
    const isWhole = start === 0 && end === content.bytes;
    yield* (await content.get(isWhole ? undefined : { start, end }, signal)).chunks;
  };
}

/** For a server that sends whole files only: the ranges, which are asked for in their order, take turns with one response. */
class OneResponse {
  #turn: Promise<unknown> = Promise.resolve();
  #open: { at: number; rest: Buffer; chunks: AsyncGenerator<Buffer> } | undefined;
  readonly #closing = new AbortController();

  constructor(
    private readonly content: RemoteContent,
    private readonly signal: AbortSignal,
  ) {}

  async *read(start: number, end: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const before = this.#turn;
    let endTurn = () => {};
    this.#turn = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    try {
      await before;
      if (this.#open && this.#open.at > start) this.#open = undefined;
      for (let at = start; at < end; ) {
        signal.throwIfAborted();
        const chunk = await this.#next(at, end);
        at += chunk.length;
        yield chunk;
      }
    } catch (error) {
      this.#open = undefined;
      throw error;
    } finally {
      endTurn();
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** Some bytes from `at` on; those before are skipped. */
  async #next(at: number, end: number): Promise<Buffer> {
    for (;;) {
      this.#open ??= { at: 0, rest: Buffer.alloc(0), chunks: await this.#request() };
      const open = this.#open;
      const skipped = Math.min(open.rest.length, at - open.at);
      const chunk = open.rest.subarray(skipped, skipped + end - at);
      open.rest = open.rest.subarray(skipped + chunk.length);
      open.at += skipped + chunk.length;
      if (chunk.length > 0) return chunk;
      const { done, value } = await open.chunks.next();
      if (done) throw new ChangedError('the file is shorter than its server said');
      open.rest = value;
    }
  }

  async #request(): Promise<AsyncGenerator<Buffer>> {
    return (await this.content.get(undefined, AbortSignal.any([this.signal, this.#closing.signal]))).chunks;
  }
}
