import { FailedError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { endOfLink, isFresh } from './links.ts';
import { type Received, receiveOnce } from './receive.ts';
import { ChangedError, LinkExpiredError } from './refusal.ts';

/** The content of one remote file, as it was when the first of it came: whatever came later must be of the same. */
export class RemoteContent {
  #link: Promise<{ url: string; endsAt: number | undefined }> | undefined;

  /** `ask` gives a new signed link; `etag` is what an earlier try has seen. */
  constructor(
    readonly bytes: number,
    private readonly ask: () => Promise<string>,
    private readonly engine: Engine,
    public etag: string | undefined = undefined,
  ) {}

  /** From where, and up to but without where; the whole if left out. A link that has ended is asked for again. */
  async get(range: { start: number; end: number } | undefined, signal: AbortSignal): Promise<Received> {
    const url = await this.#freshLink();
    try {
      return this.#known(await receiveOnce({ url, range, etag: this.etag }, this.engine, signal));
    } catch (error) {
      if (!(error instanceof LinkExpiredError)) throw error;
    }
    this.#link = undefined;
    const another = await this.#freshLink();
    return this.#known(
      await receiveOnce({ url: another, range, etag: this.etag }, this.engine, signal).catch((error: unknown) => {
        throw error instanceof LinkExpiredError ? new FailedError('a new download link had expired, too') : error;
      }),
    );
  }

  #known(received: Received): Received {
    if (received.size !== undefined && received.size !== this.bytes) {
      void received.pieces.return(undefined);
      throw new ChangedError('its size is not what the folder said');
    }
    this.etag ??= received.etag || undefined;
    return received;
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
