import { FailedError } from '../errors.ts';
import { endOfLink, isFresh } from './link-expiry.ts';
import { type ByteRange, type Received, receiveOnce } from './receive.ts';
import type { Engine } from './resources.ts';
import { ChangedError, LinkExpiredError, NoRangesError } from './storage-errors.ts';
import { etagIn } from './version.ts';

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
    private readonly engine: Engine,
    version?: string,
    private readonly mayMix = false,
  ) {
    this.version = version;
    this.etag = etagIn(version);
  }

  /** Whether reading can go on in the middle: not where the rest may be of another version. */
  get isResumable(): boolean {
    return this.#takesRanges && this.version !== undefined;
  }

  /**
   * From where, and up to but without where; the whole file if left out. A link that has ended is asked for again.
   * Throws a {@link NoRangesError} when the file can only be read in one request.
   */
  async get(range: ByteRange | undefined, signal: AbortSignal): Promise<Received> {
    try {
      return this.#accept(await this.#receive(range, signal), range);
    } catch (error) {
      if (error instanceof NoRangesError) this.#takesRanges = false;
      throw error;
    }
  }

  async #receive(range: ByteRange | undefined, signal: AbortSignal): Promise<Received> {
    const { bytes, version, engine } = this;
    const url = await this.#freshLink();
    try {
      return await receiveOnce({ url, bytes, range, version }, engine, signal);
    } catch (error) {
      if (!(error instanceof LinkExpiredError)) throw error;
    }
    this.#link = undefined;
    const another = await this.#freshLink();
    return receiveOnce({ url: another, bytes, range, version }, engine, signal).catch((error: unknown) => {
      throw error instanceof LinkExpiredError ? new FailedError('a new download link had expired, too') : error;
    });
  }

  /** Several requests may have begun before the first answer told the version. */
  #accept(received: Received, range: ByteRange | undefined): Received {
    const problem = this.#problemOf(received, range);
    if (problem) {
      void received.pieces.return(undefined);
      throw problem;
    }
    this.version ??= received.version;
    this.etag ??= received.etag || undefined;
    return received;
  }

  #problemOf({ version }: Received, range: ByteRange | undefined): ChangedError | undefined {
    if (this.mayMix) return undefined;
    const isPart = range !== undefined && range.end - range.start < this.bytes;
    if (isPart && version === undefined) {
      return new NoRangesError('the storage gives neither an ETag nor a date that tells its versions apart');
    }
    const isOther = this.version !== undefined && version !== this.version;
    return isOther ? new ChangedError('it changed while it was being copied') : undefined;
  }

  async #freshLink(): Promise<string> {
    this.#link ??= this.#ask();
    const { url, endsAt } = await this.#link;
    if (isFresh(url, endsAt, this.engine.elapsed())) return url;
    this.#link = this.#ask();
    return (await this.#link).url;
  }

  async #ask() {
    try {
      const url = await this.ask();
      return { url, endsAt: endOfLink(url, this.engine.elapsed()) };
    } catch (error) {
      this.#link = undefined;
      throw error;
    }
  }
}
