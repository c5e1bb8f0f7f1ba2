import type { LogSocket } from '../../api/log-socket.ts';
import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import type { LogSource } from './log-source.ts';
import { jittered } from './poll-intervals.ts';

type Needs = Pick<Context, 'elapsed' | 'signal' | 'progress'>;

/** So many sockets in a row that bring nothing, and we say that we poll. */
const maxFailures = 3;
/** Before the next socket: after one that worked, and while we poll (in milliseconds). */
const firstWaitMs = 250;
const pollingWaitMs = 30_000;
const longestWaitMs = 5 * 60_000;

/** The live log of a source, and how often it failed. No number of broken sockets ends it. */
export class LiveLog {
  socket: LogSocket | undefined;
  /** Sockets in a row that brought nothing. */
  private failures = 0;
  private nextAt = 0;
  private polling = false;

  constructor(
    private readonly context: Needs,
    private readonly source: LogSource,
  ) {}

  /** Milliseconds until it is tried again. */
  nextIn(): number {
    return this.source.openLive ? this.nextAt - this.context.elapsed() : Number.POSITIVE_INFINITY;
  }

  /** Opens it, if it is time to. */
  async open(after: number | undefined): Promise<void> {
    if (this.nextIn() > 0) return;
    try {
      this.socket = await this.source.openLive?.(after);
    } catch (error) {
      this.context.signal.throwIfAborted();
      if (!(error instanceof UnavailableError)) throw error;
      this.missed(error.message);
    }
  }

  close(): void {
    this.socket?.close();
    this.socket = undefined;
  }

  /** It brought nothing. The more often, the longer until the next. */
  missed(why: string): void {
    this.failures++;
    if (this.failures >= maxFailures && !this.polling) {
      this.polling = true;
      this.context.progress.note(`${why}: looking every few seconds instead`);
    }
    const waitMs = this.polling
      ? Math.min(longestWaitMs, pollingWaitMs * 2 ** (this.failures - maxFailures))
      : firstWaitMs * 2 ** this.failures;
    this.nextAt = this.context.elapsed() + jittered(waitMs);
  }

  /** The socket works, so the next failure counts as the first. */
  proven(): void {
    this.failures = 0;
    if (this.polling) this.context.progress.note('the live log is back');
    this.polling = false;
  }

  /** It worked, and was closed. */
  ended(): void {
    this.proven();
    this.nextAt = this.context.elapsed() + jittered(firstWaitMs);
  }
}
