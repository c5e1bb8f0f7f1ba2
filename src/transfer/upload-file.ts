import { withRetries } from '../api/retry.ts';
import { FailedError, type GantryError, UnavailableError, UnexpectedReplyError } from '../errors.ts';
import type { ByteRange } from './byte-range.ts';
import { eachPart, type Part, type PartPlan } from './parts.ts';
import { sendPutRequest } from './put-request.ts';
import type { TransferResources } from './resources.ts';
import { maxSmallBytes } from './resources.ts';
import { runWorkers } from './run-workers.ts';
import { isUsable, urlExpiry, urlLifetimeMs } from './signed-url.ts';
import { isOverload, UrlExpiredError } from './storage-errors.ts';

/** An upload that the platform has begun: nothing of it is visible before it is complete. */
export interface OpenUpload {
  id: string;
  /** A signed link for each part, the first for part 1. */
  links: string[];
  /** On this machine's clock, in milliseconds; undefined when the links do not say. */
  linksEndAt?: number | undefined;
}

export interface SentPart {
  number: number;
  etag: string;
}

export interface FileUpload {
  plan: PartPlan;
  read: (part: Part) => Promise<ByteRange> | ByteRange;
  /** Begins an upload of so many parts and gives its id and links. */
  startUpload: (parts: number) => Promise<{ id: string; links: string[] }>;
  /** What an earlier try has left. */
  saved?: { upload: OpenUpload; parts: SentPart[] } | undefined;
  onStarted: (upload: OpenUpload) => void;
  onPart: (part: SentPart) => void;
  /** Files of a lower number are ended first. */
  order: number;
}

/** Uploads begun for one file before it is given up: links that end too soon would be asked for without end. */
const mostUploads = 4;

/**
 * Sends all parts of a file that are not there yet, each retried alone. Gives the upload they belong to and all of them
 * in order. When the links end too early, a new upload is begun, for which every part has to go again.
 */
export async function uploadFile(
  sending: FileUpload,
  resources: TransferResources,
): Promise<{ upload: OpenUpload; parts: SentPart[] }> {
  let left = sending.saved;
  for (let tries = 1; ; tries++) {
    const session = new Session(sending, resources, left);
    try {
      return await session.run();
    } catch (error) {
      const useless = error instanceof UrlExpiredError || (left !== undefined && isGone(error));
      if (!useless) throw error;
      if (tries === mostUploads) throw tooShort(session.upload, error as GantryError);
      left = undefined;
      session.takeBack();
    }
  }
}

/** Of an upload that was begun long ago the storage may know nothing any more, or refuse it. */
function isGone(error: unknown): boolean {
  const status = (error as GantryError).facts?.status;
  return status === 403 || status === 404;
}

class Session {
  upload: OpenUpload | undefined;
  /** By the clock that does not jump; what the upload says itself is for the journal, by wall-clock time. */
  #linksEndAt: number | undefined;
  readonly #parts = new Map<number, SentPart>();
  #beginning: Promise<OpenUpload> | undefined;
  /** What came of asking for the links, which has its own retries. */
  #notBegun: unknown;
  #sentBytes = 0;

  constructor(
    private readonly sending: FileUpload,
    private readonly resources: TransferResources,
    left: FileUpload['saved'],
  ) {
    if (!left) return;
    this.upload = left.upload;
    const { linksEndAt } = left.upload;
    if (linksEndAt !== undefined) this.#linksEndAt = resources.elapsed() + linksEndAt - resources.now();
    for (const part of left.parts) this.#parts.set(part.number, part);
  }

  async run(): Promise<{ upload: OpenUpload; parts: SentPart[] }> {
    const { signal, large } = this.resources;
    const missing = eachPart(this.sending.plan);
    const count = Math.min(large.max, this.sending.plan.count);
    await runWorkers(count, signal, (stop) => this.#sendFrom(missing, stop));
    signal.throwIfAborted();
    const upload = await this.#open();
    return { upload, parts: [...this.#parts.values()].sort((a, b) => a.number - b.number) };
  }

  takeBack(): void {
    this.resources.onBytes(-this.#sentBytes);
  }

  async #sendFrom(missing: Iterable<Part>, stop: AbortSignal): Promise<void> {
    for (const part of missing) {
      if (stop.aborted) return;
      if (!this.#parts.has(part.number)) await this.#send(part, stop);
    }
  }

  async #send(part: Part, stop: AbortSignal): Promise<void> {
    const { resources, sending } = this;
    const { plan, order } = sending;
    const gate = plan.bytes > maxSmallBytes ? resources.large : resources.small;
    const etag = await withRetries(
      () => gate.run(() => this.#sendOnce(part, stop), order),
      (error) => {
        if (isOverload(error)) gate.reduce();
        return error.facts.retryable === true && error !== this.#notBegun && !stop.aborted;
      },
      resources,
    );
    const sent = { number: part.number, etag };
    this.#sentBytes += part.length;
    this.#parts.set(part.number, sent);
    sending.onPart(sent);
  }

  /** The links are asked for when the first part has its turn, not when the file is found: they do not last. */
  async #sendOnce(part: Part, stop: AbortSignal): Promise<string> {
    const { id, links } = await this.#open();
    const url = links[part.number - 1];
    if (url === undefined) throw new UnexpectedReplyError(`upload ${id} has no URL for part ${part.number}`);
    if (!isUsable(url, this.#linksEndAt, this.resources.elapsed()))
      throw new UrlExpiredError('the upload URL is about to expire');
    const read = () => this.sending.read(part);
    const contentType = 'application/octet-stream';
    const etag = await sendPutRequest({ url, bytes: part.length, contentType, read }, this.resources, stop);
    // The upload is completed with ETags, so a part without one does not count as sent.
    if (etag === '') throw new UnavailableError('the storage sent no ETag', { retryable: true });
    return etag;
  }

  #open(): Promise<OpenUpload> {
    if (this.upload) return Promise.resolve(this.upload);
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  async #begin(): Promise<OpenUpload> {
    const { plan, startUpload, onStarted } = this.sending;
    const { id, links } = await startUpload(plan.count).catch((error: unknown) => {
      this.#notBegun = error;
      throw error;
    });
    if (links.length !== plan.count || links.some((link) => !link)) {
      throw new UnexpectedReplyError(`the platform returned ${links.length} URLs for ${plan.count} parts`);
    }
    const [first = ''] = links;
    this.upload = { id, links, linksEndAt: urlExpiry(first, this.resources.now()) };
    this.#linksEndAt = urlExpiry(first, this.resources.elapsed());
    onStarted(this.upload);
    return this.upload;
  }
}

function tooShort(upload: OpenUpload | undefined, cause: GantryError): GantryError {
  const lifetime = urlLifetimeMs(upload?.links[0] ?? '');
  const lasts = lifetime === undefined ? '' : ` (they are valid for ${Math.round(lifetime / 1000)} s)`;
  return new FailedError(`its upload URLs expired ${mostUploads} times before the upload finished${lasts}`, {
    why: 'the connection is too slow for the lifetime of the URLs',
    cause,
  });
}
