import { FailedError } from '../errors.ts';
import { type ObjectResponse, type RangeBounds, sendRangeRequest } from './range-request.ts';
import type { TransferResources } from './resources.ts';
import { isUsable, urlExpiry } from './signed-url.ts';
import { ChangedError, NoRangesError, UrlExpiredError } from './storage-errors.ts';
import { versionEtag } from './version.ts';

/** The content of one remote file, as it was when the first of it came: the rest must be of the same version. */
export class RemoteContent {
  /** Which version is read; undefined as long as that is not known, and where the storage does not say. */
  version: string | undefined;
  etag: string | undefined;
  #link: Promise<{ url: string; endsAt: number | undefined }> | undefined;
  #takesRanges = true;

  /**
   * `ask` gives a new signed link; `version` is what an earlier try has seen. `mayMix`: the parts are not put together,
   * so that they may be of different versions.
   */
  constructor(
    readonly bytes: number,
    private readonly ask: () => Promise<string>,
    private readonly resources: TransferResources,
    version?: string,
    private readonly mayMix = false,
  ) {
    this.version = version;
    this.etag = versionEtag(version);
  }

  /** Whether reading can go on in the middle: not where the rest may be of another version. */
  get isResumable(): boolean {
    return this.#takesRanges && this.version !== undefined;
  }

  /**
   * From where, and up to but without where; the whole file if left out. A link that has ended is asked for again.
   * Throws a {@link NoRangesError} when the file can only be read in one request.
   */
  async get(range: RangeBounds | undefined, signal: AbortSignal): Promise<ObjectResponse> {
    try {
      return this.#accept(await this.#receive(range, signal), range);
    } catch (error) {
      if (error instanceof NoRangesError) this.#takesRanges = false;
      throw error;
    }
  }

  async #receive(range: RangeBounds | undefined, signal: AbortSignal): Promise<ObjectResponse> {
    const { bytes, version, resources } = this;
    const url = await this.#freshLink();
    try {
      return await sendRangeRequest({ url, bytes, range, version }, resources, signal);
    } catch (error) {
      if (!(error instanceof UrlExpiredError)) throw error;
    }
    this.#link = undefined;
    const another = await this.#freshLink();
    return sendRangeRequest({ url: another, bytes, range, version }, resources, signal).catch((error: unknown) => {
      throw error instanceof UrlExpiredError ? new FailedError('a new download URL had already expired') : error;
    });
  }

  /** Several requests may have begun before the first answer told the version. */
  #accept(received: ObjectResponse, range: RangeBounds | undefined): ObjectResponse {
    const problem = this.#problemOf(received, range);
    if (problem) {
      void received.chunks.return(undefined);
      throw problem;
    }
    this.version ??= received.version;
    this.etag ??= received.etag || undefined;
    return received;
  }

  #problemOf({ version }: ObjectResponse, range: RangeBounds | undefined): ChangedError | undefined {
    if (this.mayMix) return undefined;
    const isPart = range !== undefined && range.end - range.start < this.bytes;
    if (isPart && version === undefined) {
      return new NoRangesError('the storage sends neither an ETag nor a date that identifies the version');
    }
    const isOther = this.version !== undefined && version !== this.version;
    return isOther ? new ChangedError('the file changed during the copy') : undefined;
  }

  async #freshLink(): Promise<string> {
    this.#link ??= this.#ask();
    const { url, endsAt } = await this.#link;
    if (isUsable(url, endsAt, this.resources.elapsed())) return url;
    this.#link = this.#ask();
    return (await this.#link).url;
  }

  async #ask() {
    try {
      const url = await this.ask();
      return { url, endsAt: urlExpiry(url, this.resources.elapsed()) };
    } catch (error) {
      this.#link = undefined;
      throw error;
    }
  }
}
