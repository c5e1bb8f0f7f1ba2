import type { LogSocket } from '../../api/log-socket.ts';
import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import type { LogSource } from './log-source.ts';
import { jittered } from './poll-intervals.ts';

/** Failed sockets in a row before polling is reported. */
const failuresBeforePolling = 3;
/** Pauses before the next socket, in ms. */
const minWaitMs = 250;
const pollingWaitMs = 30_000;
const maxWaitMs = 5 * 60_000;

/** Opens the live log of a source again and again, however often it fails. */
export class LiveLog {
  socket: LogSocket | undefined;
  /** Failed sockets in a row. */
  #failures = 0;
  #nextAt = 0;
  #isPolling = false;

  constructor(
    private readonly context: Pick<Context, 'elapsed' | 'signal' | 'progress'>,
    private readonly source: LogSource,
  ) {}

  /** Time until the next try, in ms. */
  msUntilNext(): number {
    return this.source.openLive ? this.#nextAt - this.context.elapsed() : Number.POSITIVE_INFINITY;
  }

  /** Opens the socket if it is time to. */
  async open(after: number | undefined): Promise<void> {
    if (this.msUntilNext() > 0) return;
    try {
      this.socket = await this.source.openLive?.(after);
    } catch (error) {
      this.context.signal.throwIfAborted();
      if (!(error instanceof UnavailableError)) throw error;
      this.failed(error.message);
    }
  }

  close(): void {
    this.socket?.close();
    this.socket = undefined;
  }

  /** The socket returned nothing. The wait doubles each time. */
  failed(why: string): void {
    this.#failures++;
    if (this.#failures >= failuresBeforePolling && !this.#isPolling) {
      this.#isPolling = true;
      this.context.progress.note(`${why}; polling every few seconds instead`);
    }
    const waitMs = this.#isPolling
      ? Math.min(maxWaitMs, pollingWaitMs * 2 ** (this.#failures - failuresBeforePolling))
      : minWaitMs * 2 ** this.#failures;
    this.#nextAt = this.context.elapsed() + jittered(waitMs);
  }

  /** The socket works: its next failure counts as the first. */
  succeeded(): void {
    this.#failures = 0;
    if (this.#isPolling) this.context.progress.note('the live log is back');
    this.#isPolling = false;
  }

  /** A socket that worked was closed. */
  ended(): void {
    this.succeeded();
    this.#nextAt = this.context.elapsed() + jittered(minWaitMs);
  }
}
