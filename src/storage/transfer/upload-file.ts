import { FailedError, type GantryError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import type { PartReader, TakenPart } from './byte-source.ts';
import type { OpenUpload } from './journal.ts';
import { bytesOf, forEachPart, type Part, type PartsCopy, type SentPart } from './parts.ts';
import { sendPutRequest } from './put-request.ts';
import { isUsable, urlExpiry, urlLifetimeMs } from './signed-url.ts';
import { UrlExpiredError } from './storage-errors.ts';
import { repeated, requestKind, type TransferContext } from './transfer-context.ts';

export interface FileUpload extends PartsCopy<OpenUpload, SentPart> {
  /** Called for each attempt, with the parts that need not be sent. */
  createReader: (sent: readonly SentPart[]) => PartReader;
  startUpload: (parts: number) => Promise<{ id: string; urls: string[] }>;
}

export interface UploadedParts {
  upload: OpenUpload;
  parts: SentPart[];
  /** Bytes of the parts that an earlier process has sent. */
  resumedBytes: number;
}

/** Maximum number of sessions for one file, in case the URLs always expire too early. */
const maxSessions = 4;

/** Uploads the missing parts, each with its own retries. If the URLs expire, starts over with a new attempt. */
export async function uploadFile(sending: FileUpload, resources: TransferContext): Promise<UploadedParts> {
  let previous = sending.saved;
  for (let sessions = 1; ; sessions++) {
    const attempt = new UploadAttempt(sending, resources, previous);
    try {
      const sent = await attempt.run();
      return { ...sent, resumedBytes: bytesOf(sending.plan, previous?.parts) };
    } catch (error) {
      const needsNewSession = error instanceof UrlExpiredError || (previous !== undefined && isSessionGone(error));
      if (!needsNewSession) throw error;
      if (sessions === maxSessions) throw expiredTooOftenError(attempt.upload, error as GantryError);
      previous = undefined;
      attempt.subtractProgress();
    }
  }
}

/** Storage may have deleted an old attempt. */
function isSessionGone(error: unknown): boolean {
  const status = (error as GantryError).facts?.status;
  return status === 403 || status === 404;
}

class UploadAttempt {
  upload: OpenUpload | undefined;
  /** When the URLs expire, by the monotonic clock; the journal has it by wall-clock time. */
  #urlsExpireAt: number | undefined;
  readonly #parts = new Map<number, SentPart>();
  readonly #reader: PartReader;
  /** The session is created when the first part is due, because the URLs expire. */
  readonly #open = once(async () => this.upload ?? this.#start());
  /** The failure of `startUpload`, which has its own retries. */
  #startError: unknown;
  #sentBytes = 0;

  constructor(
    private readonly sending: FileUpload,
    private readonly resources: TransferContext,
    previous: FileUpload['saved'],
  ) {
    this.#reader = sending.createReader(previous?.parts ?? []);
    if (!previous) return;
    this.upload = previous.attempt;
    const { urlsExpireAt } = previous.attempt;
    if (urlsExpireAt !== undefined) this.#urlsExpireAt = resources.elapsed() + urlsExpireAt - resources.now();
    for (const part of previous.parts) this.#parts.set(part.number, part);
  }

  async run(): Promise<Omit<UploadedParts, 'resumedBytes'>> {
    await forEachPart(this.sending.plan, this.#parts, this.resources, (part, stop) => this.#send(part, stop));
    const upload = await this.#open();
    return { upload, parts: [...this.#parts.values()].sort((a, b) => a.number - b.number) };
  }

  subtractProgress(): void {
    this.resources.onBytes(-this.#sentBytes);
  }

  async #send(part: Part, stop: AbortSignal): Promise<void> {
    const taken = await this.#reader.take(part, stop);
    try {
      const etag = await this.#sendTaken(part, taken, stop);
      const sent = { number: part.number, etag, ...(await taken.settle()) };
      taken.release();
      this.#sentBytes += part.length;
      this.#parts.set(part.number, sent);
      this.sending.onPart(sent);
    } catch (error) {
      taken.release(error);
      throw error;
    }
  }

  #sendTaken(part: Part, taken: TakenPart, stop: AbortSignal): Promise<string> {
    const { resources, sending } = this;
    const { plan, order } = sending;
    const { requests } = resources;
    const request = { kind: requestKind(plan.bytes), order, bytes: part.length };
    return repeated(
      () => requests.run(request, (begin) => this.#sendOnce(part, taken, stop, begin)),
      resources,
      (error) => error !== this.#startError && !stop.aborted,
    );
  }

  async #sendOnce(part: Part, taken: TakenPart, stop: AbortSignal, begin: () => void): Promise<string> {
    const { urls } = await this.#open();
    begin();
    const url = urls[part.number - 1] ?? '';
    if (!isUsable(url, this.#urlsExpireAt, this.resources.elapsed()))
      throw new UrlExpiredError('the upload URL is about to expire');
    const read = () => taken.read();
    const contentType = 'application/octet-stream';
    const etag = await sendPutRequest({ url, bytes: part.length, contentType, read }, this.resources, stop);
    // Completing the upload needs the ETag of every part.
    if (etag === '') throw new UnavailableError('the storage sent no ETag', { retryable: true });
    return etag;
  }

  async #start(): Promise<OpenUpload> {
    const { plan, startUpload, onStarted } = this.sending;
    const { id, urls } = await startUpload(plan.count).catch((error: unknown) => {
      this.#startError = error;
      throw error;
    });
    if (urls.length !== plan.count || urls.some((url) => !url)) {
      throw new UnexpectedReplyError(`the platform returned ${urls.length} URLs for ${plan.count} parts`);
    }
    const [first = ''] = urls;
    this.upload = { id, urls, urlsExpireAt: urlExpiry(first, this.resources.now()) };
    this.#urlsExpireAt = urlExpiry(first, this.resources.elapsed());
    onStarted(this.upload);
    return this.upload;
  }
}

function expiredTooOftenError(upload: OpenUpload | undefined, cause: GantryError): GantryError {
  const lifetime = urlLifetimeMs(upload?.urls[0] ?? '');
  const lasts = lifetime === undefined ? '' : ` (they are valid for ${Math.round(lifetime / 1000)} s)`;
  return new FailedError(`its upload URLs expired ${maxSessions} times before the upload finished${lasts}`, {
    why: 'the connection is too slow for the lifetime of the URLs',
    cause,
  });
}
