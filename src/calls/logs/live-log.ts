import { GantryError, isTransient, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import type { LogSocket } from '../../platform/api/log-socket.ts';
import type { Context } from '../../platform/context.ts';
import type { LogEnding } from './ending.ts';
import type { LogLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';

/** Failed sockets in a row before polling is reported. */
const failuresBeforePolling = 3;
/** Pauses before the next socket, in ms. */
const minWaitMs = 250;
const pollingWaitMs = 30_000;
const maxWaitMs = 5 * 60_000;
/** A live log that stays open this long works, even without lines. In ms. */
const stableMs = 10_000;
/** How late the end of the work may be seen, in ms. */
const statusLateMs = 1_500;

/** Opens the live log of a source again and again, however often it fails. */
export class LiveLog {
  socket: LogSocket | undefined;
  /** The platform closed it after its last line. */
  isComplete = false;
  /** Whether the socket has sent lines, or misses none. */
  works = false;
  /** Whether the last wait was in vain. */
  wasQuiet = false;
  #quietMs = 0;
  #hasMissed = false;
  #hasReceived = false;
  #hasWarned = false;
  #failures = 0;
  #openedAt = 0;
  /** When the first socket was open; the platform did not close it where its end is not a number. */
  #first: { from: number; until: number } | undefined;
  #nextAt = 0;
  #isPolling = false;
  #opening: Promise<void> | undefined;
  readonly #ended = new AbortController();

  constructor(
    private readonly context: Pick<Context, 'elapsed' | 'signal' | 'progress' | 'silenceMs'>,
    private readonly source: LogSource,
  ) {}

  msUntilNext(): number {
    const mayOpen = this.source.openLive && !this.isComplete;
    return mayOpen ? this.#nextAt - this.context.elapsed() : Number.POSITIVE_INFINITY;
  }

  /** Opens the socket if it is time to, and it is not open. */
  async open(after: number | undefined): Promise<void> {
    if (this.socket || this.msUntilNext() > 0) return;
    this.#opening ??= this.#open(after).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  /** The lines that arrive within a time. None if it is quiet, or was closed. */
  async next(waitMs: number, gatherMs: number): Promise<LogLine[]> {
    const { socket } = this;
    const texts = (await socket?.next(waitMs, gatherMs)) ?? 'closed';
    this.wasQuiet = texts === 'quiet';
    if (texts === 'quiet') this.#quietMs += waitMs;
    if (texts === 'closed') this.#closed();
    if (typeof texts === 'string') return [];
    const lines = texts.flatMap((text) => this.#parse(text));
    this.#hasReceived ||= lines.length > 0;
    if (lines.length > 0) this.#isFine();
    return lines;
  }

  /** Takes whether the history had lines that this has not sent: if it is silent for long, it is closed. */
  compare(hasMissed: boolean): void {
    this.#hasMissed ||= hasMissed && this.wasQuiet;
    if (!this.socket || this.#quietMs < this.context.silenceMs) return;
    if (this.#hasMissed) {
      this.#close();
      this.#failed('the live log is silent');
    } else this.#isFine();
  }

  /** Whether the platform kept it open until the work ended, and closed it then. The status shows that a little later. */
  endedWith({ at }: LogEnding): boolean {
    return this.#first !== undefined && this.#first.from < at && this.#first.until >= at - statusLateMs;
  }

  /** Closes it, also if it is being opened. */
  end(): void {
    this.#ended.abort();
    this.#close();
  }

  async #open(after: number | undefined): Promise<void> {
    const until = AbortSignal.any([this.context.signal, this.#ended.signal]);
    try {
      this.socket = await this.source.openLive?.(after, until);
      this.#openedAt = this.context.elapsed();
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.context.signal.throwIfAborted();
      if (!(error instanceof UnavailableError)) throw error;
      this.#failed(error.message);
    }
  }

  #close(): void {
    this.socket?.close();
    this.socket = undefined;
    this.works = false;
    this.#quietMs = 0;
    this.#hasMissed = false;
  }

  #closed(): void {
    const { socket, works } = this;
    this.#first ??= { from: this.#openedAt, until: socket?.isComplete ? this.context.elapsed() : Number.NaN };
    this.isComplete = this.source.liveEnds === true && this.#hasReceived && socket?.isComplete === true;
    this.#close();
    if (!works && this.context.elapsed() - this.#openedAt < stableMs) {
      this.#failed(`the live log returns nothing (${socket?.closeReason})`);
    } else {
      this.#isFine();
      this.works = false;
      this.#nextAt = this.context.elapsed() + jittered(minWaitMs);
    }
  }

  #parse(text: string): LogLine[] {
    const lines = this.source.parseFrame(text);
    if (!lines && !this.#hasWarned) this.context.progress.warn('the live log sent an invalid message');
    this.#hasWarned ||= !lines;
    return lines ?? [];
  }

  /** The wait doubles each time. */
  #failed(why: string): void {
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

  /** The next failure of a socket counts as the first. */
  #isFine(): void {
    this.works = true;
    this.#quietMs = 0;
    this.#hasMissed = false;
    this.#failures = 0;
    if (this.#isPolling) this.context.progress.note('the live log is back');
    this.#isPolling = false;
  }
}

/** The maximum pause after a failed poll, in ms. */
const maxPauseMs = 30_000;
/** Unexpected replies in a row: a proxy's error page goes away, an unknown platform does not. */
const maxUnexpectedReplies = 5;

/** The pauses between two polls of a log. */
export class PollIntervals {
  ms: number;
  #failures = 0;

  constructor(
    private readonly progress: Context['progress'],
    private readonly bounds: LogSource['pollMs'],
  ) {
    this.ms = bounds[0];
  }

  /** The pauses grow while there are no new lines. */
  succeeded(hasLines: boolean): void {
    const [minMs, maxMs] = this.bounds;
    this.ms = hasLines ? minMs : Math.min(maxMs, Math.max(minMs, this.ms * 1.25));
    if (this.#failures > 0) this.progress.note('the log is available again');
    this.#failures = 0;
  }

  /** Returns false if the error is not transient. */
  failed(error: unknown): boolean {
    if (!(error instanceof GantryError)) return false;
    const { retryAfterMs } = error.facts;
    const isUnexpected = error instanceof UnexpectedReplyError;
    if (isUnexpected ? this.#failures >= maxUnexpectedReplies : !isTransient(error)) return false;
    if (this.#failures === 0) this.progress.note(`cannot read the log: ${error.message}; retrying`);
    this.#failures++;
    const pauseMs = jittered(Math.min(maxPauseMs, this.bounds[0] * 2 ** (this.#failures - 1)));
    this.ms = Math.max(retryAfterMs ?? 0, pauseMs);
    return true;
  }
}

/** A random time between half of it and all of it. */
function jittered(ms: number): number {
  return Math.round(ms * (0.5 + Math.random() / 2));
}
