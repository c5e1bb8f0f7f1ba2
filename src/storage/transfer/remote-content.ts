import { FailedError } from '../../kernel/errors.ts';
import {
  type ContentAddress,
  type ObjectResponse,
  type RangeBounds,
  sendRangeRequest,
  versionEtag,
} from './range-request.ts';
import { isUsable, urlExpiry } from './signed-url.ts';
import { ChangedError, NoRangesError, UrlExpiredError } from './storage-errors.ts';
import type { TransferContext } from './transfer-context.ts';

interface UsableAddress extends ContentAddress {
  /** Monotonic time in ms. */
  expiresAt: number | undefined;
}

/** The content of a remote file. All responses must be of the same version as the first, although requests may start before it. */
export class RemoteContent {
  etag: string | undefined;
  #url: Promise<UsableAddress> | undefined;
  #supportsRanges = true;

  /**
   * `createUrl` requests a new signed URL; `version` is from a previous attempt. With `mayMixVersions` responses may be
   * of different versions, because they are not joined.
   */
  constructor(
    readonly bytes: number,
    private readonly createUrl: () => Promise<string | ContentAddress>,
    private readonly resources: TransferContext,
    /** Undefined before the first response, and if the storage sends none. */
    public version?: string,
    private readonly mayMixVersions = false,
  ) {
    this.etag = versionEtag(version);
  }

  /** Whether reading can resume at an offset: not if the rest may be of another version. */
  get isResumable(): boolean {
    return this.#supportsRanges && this.version !== undefined;
  }

  /**
   * Requests a range, or the whole file. Renews an expired URL once. Throws a {@link NoRangesError} if the file can only be
   * read in one request.
   */
  async get(range: RangeBounds | undefined, signal: AbortSignal, intoBlocks = false): Promise<ObjectResponse> {
    try {
      return this.#accept(await this.#receive(range, signal, intoBlocks), range);
    } catch (error) {
      if (error instanceof NoRangesError) this.#supportsRanges = false;
      throw error;
    }
  }

  async #receive(range: RangeBounds | undefined, signal: AbortSignal, intoBlocks: boolean): Promise<ObjectResponse> {
    const { bytes, version, resources } = this;
    const signed = await this.#usableUrl();
    try {
      return await sendRangeRequest({ ...signed, bytes, range, version, intoBlocks }, resources, signal);
    } catch (error) {
      if (!(error instanceof UrlExpiredError)) throw error;
    }
    const renewed = await this.#usableUrl(signed);
    return sendRangeRequest({ ...renewed, bytes, range, version, intoBlocks }, resources, signal).catch((error) => {
      throw error instanceof UrlExpiredError ? new FailedError('a new download URL had already expired') : error;
    });
  }

  /** The first response tells the version. */
  #accept(response: ObjectResponse, range: RangeBounds | undefined): ObjectResponse {
    const error = this.#versionError(response, range);
    if (error) {
      response.drop();
      throw error;
    }
    this.version ??= response.version;
    this.etag ??= response.etag || undefined;
    return response;
  }

  #versionError({ version }: ObjectResponse, range: RangeBounds | undefined): ChangedError | undefined {
    if (this.mayMixVersions) return undefined;
    const isPart = range !== undefined && range.end - range.start < this.bytes;
    if (isPart && version === undefined) {
      return new NoRangesError('the storage sends neither an ETag nor a date that identifies the version');
    }
    const isOther = this.version !== undefined && version !== this.version;
    return isOther ? new ChangedError('the file changed during the copy') : undefined;
  }

  /** `expired` was refused by the storage. Of the requests that find the same URL expired, only one requests another. */
  async #usableUrl(expired?: UsableAddress): Promise<UsableAddress> {
    this.#url ??= this.#requestUrl();
    const url = this.#url;
    const signed = await url;
    if (signed !== expired && isUsable(signed.url, signed.expiresAt, this.resources.elapsed())) return signed;
    if (this.#url === url) this.#url = undefined;
    this.#url ??= this.#requestUrl();
    return this.#url;
  }

  async #requestUrl(): Promise<UsableAddress> {
    try {
      const created = await this.createUrl();
      const address = typeof created === 'string' ? { url: created } : created;
      return { ...address, expiresAt: urlExpiry(address.url, this.resources.elapsed()) };
    } catch (error) {
      this.#url = undefined;
      throw error;
    }
  }
}
