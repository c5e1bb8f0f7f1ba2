import { FailedError, type GantryError, UnavailableError } from '../../kernel/errors.ts';
import {
  type ContentAddress,
  changedError,
  type ObjectResponse,
  type RangeBounds,
  type ResponseForm,
  sendRangeRequest,
} from './range-request.ts';
import { isUsable, urlExpiry } from './signed-url.ts';
import { UrlExpiredError } from './storage-errors.ts';
import type { TransferContext } from './transfer-context.ts';

interface UsableAddress extends ContentAddress {
  expiresAt: number | undefined;
}

/** The content of a remote file. All responses must be of the same version as the first, although requests may start before it. */
export class RemoteContent {
  #url: Promise<UsableAddress> | undefined;

  /** `version` is from a previous attempt. With `mayMixVersions` responses are not joined. */
  constructor(
    readonly bytes: number,
    private readonly createUrl: () => Promise<string | ContentAddress>,
    private readonly resources: TransferContext,
    /** The ETag; undefined before the first response. */
    public version?: string,
    private readonly mayMixVersions = false,
  ) {}

  /** Requests a range, or the whole file. Renews an expired URL once. */
  async get(range: RangeBounds | undefined, signal: AbortSignal, as?: ResponseForm): Promise<ObjectResponse> {
    const response = await this.#receive(range, signal, as);
    const error = this.mayMixVersions ? undefined : this.#versionError(response, range !== undefined);
    if (error) {
      response.drop();
      throw error;
    }
    // The first response tells the version.
    this.version ??= response.version;
    return response;
  }

  async #receive(range: RangeBounds | undefined, signal: AbortSignal, as?: ResponseForm): Promise<ObjectResponse> {
    const { bytes, version, resources } = this;
    const signed = await this.#usableUrl();
    try {
      return await sendRangeRequest({ ...signed, bytes, range, version, as }, resources, signal);
    } catch (error) {
      if (!(error instanceof UrlExpiredError)) throw error;
    }
    const renewed = await this.#usableUrl(signed);
    return sendRangeRequest({ ...renewed, bytes, range, version, as }, resources, signal).catch((error) => {
      throw error instanceof UrlExpiredError ? new FailedError('a new download URL had already expired') : error;
    });
  }

  #versionError({ version }: ObjectResponse, isPart: boolean): GantryError | undefined {
    if (version !== (this.version ?? version)) return changedError();
    return isPart && version === undefined
      ? new UnavailableError('the storage sent no ETag', { retryable: true })
      : undefined;
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
