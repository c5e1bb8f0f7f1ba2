import { onAbort } from '../../kernel/clock.ts';
import { isReplyWith } from '../../kernel/errors.ts';
import { deferred } from '../../kernel/once.ts';
import type { LogSocket } from '../../platform/api/log-socket.ts';
import type { Context } from '../../platform/context.ts';
import { Arrivals, endingOf, type LogEnding, msToSettle } from './ending.ts';
import { readForward } from './history.ts';
import { LiveLog, PollIntervals } from './live-log.ts';
import { compareLines, type LogLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import type { OnGap, SeenLines } from './seen-lines.ts';

interface FollowLogOptions {
  source: LogSource;
  seen: SeenLines;
  onGap: OnGap;
  until: number;
  /** Aborts when the work that prints has ended. Its reason is a `LogEnding`. */
  ended?: AbortSignal | undefined;
  /** Called once, if the work has ended and no line of it is there: with how long one may still come, in ms. */
  onLate?: (leftMs: number) => void;
  /** Whether lines of the live log wait for what only the history says. */
  needsHistory?: () => boolean;
}

type FollowContext = Pick<Context, 'now' | 'platformNow' | 'elapsed' | 'delay' | 'signal' | 'progress' | 'silenceMs'>;

/** Lines of several containers arrive out of order: how long to collect them before they are sorted. */
const reorderMs = 50;
/** How often to read the history while a live log is waiting. */
const maxHistoryReads = 3;
/** After the end of the work: pauses between looks at the live log, and at the history, in ms. */
const settlePausesMs = { live: 500, history: 1_000 };

/**
 * Yields new lines in batches, each line once: the one way to read a log to its end. A batch is empty where lines of the live
 * log wait for the history: it may have told more of them. Uses the live log; when it is not
 * available, polls the history from the last line on, and reads it once more when the live log is back. No transient
 * failure ends it, neither of a poll nor of a socket. Returns at `until`, or when the work has ended and its last lines
 * have arrived: they are later than its status.
 */
export async function* followLog(context: FollowContext, options: FollowLogOptions): AsyncGenerator<LogLine[]> {
  const follower = new LogFollower(context, options);
  try {
    yield* follower.lines();
  } finally {
    follower.close();
  }
}

class LogFollower {
  readonly #live: LiveLog;
  readonly #intervals: PollIntervals;
  readonly #arrivals: Arrivals;
  /** Lines since this time may have been missed, in ms since 1970. */
  #missedSince: number | undefined;
  /** The last line before the history was read. Lines after it may be missing while `mayHaveGap`. */
  #lastLine: LogLine | undefined;
  #mayHaveGap = false;
  #isOver = false;
  /** The history cannot be read, and lines were waited for long enough. */
  #isGivenUp = false;
  /** The last line that was shown before. Until the history is read once, earlier lines are not new. */
  #start: LogLine | undefined;
  /** When the history was read, as `elapsed` counts, and beside which live log. */
  #readAt = Number.NEGATIVE_INFINITY;
  #readBeside: LogSocket | undefined;
  #ending: LogEnding | undefined;
  #hasToldLate = false;
  readonly #wakes: AbortSignal;
  readonly #woken = deferred();
  readonly #stopListening: () => void;

  constructor(
    private readonly context: FollowContext,
    private readonly options: FollowLogOptions,
  ) {
    const { seen, source, ended } = options;
    this.#live = new LiveLog(context, source);
    this.#intervals = new PollIntervals(context.progress, source.pollMs);
    this.#arrivals = new Arrivals(context);
    this.#start = seen.last;
    this.#wakes = AbortSignal.any([context.signal, ...(ended ? [ended] : [])]);
    this.#stopListening = onAbort(this.#wakes, () => {
      this.#woken.resolve();
      this.#live.socket?.wake();
    });
  }

  async *lines(): AsyncGenerator<LogLine[]> {
    const { seen } = this.options;
    for (;;) {
      // The last lines may arrive after the end is known: they are read once more.
      const isLast = this.#isLast();
      if (!isLast) await this.#open();
      const before = seen.last;
      if (!this.#isGivenUp && (isLast || this.#isDue()))
        yield* this.#readHistory(isLast && this.#knownEnding !== undefined);
      // No line may follow those that wait for the history.
      if (this.options.needsHistory?.()) yield [];
      this.#live.compare(seen.last !== before);
      if (isLast) return;
      if (!this.#isOver) yield* this.#wait();
    }
  }

  /** With its listener, the signal would keep all lines for as long as the process lives. */
  close(): void {
    this.#stopListening();
    this.#live.end();
  }

  get #knownEnding(): LogEnding | undefined {
    const { ended } = this.options;
    return ended?.aborted ? ended.reason : this.#ending;
  }

  #isLast(): boolean {
    if (this.#isOver || this.context.now() >= this.options.until) return true;
    const ending = this.#knownEnding;
    if (!ending) return false;
    const isEmpty = this.options.seen.last === undefined;
    return this.#live.isComplete || this.#arrivals.areComplete(ending, isEmpty, this.#live.endedWith(ending));
  }

  #isDue(): boolean {
    const { socket } = this.#live;
    const sinceMs = this.context.elapsed() - this.#readAt;
    const ending = this.#knownEnding;
    if (ending) return this.#readAt < ending.at || sinceMs >= settlePausesMs.history;
    return !socket || socket !== this.#readBeside || this.#live.wasQuiet || sinceMs >= this.#besideMs;
  }

  get #besideMs(): number {
    const { silenceMs } = this.context;
    return this.#live.works && !this.options.needsHistory?.() ? silenceMs : Math.min(silenceMs, this.#intervals.ms);
  }

  /** After the end of the work, nothing waits long for a live log. */
  async #open(): Promise<void> {
    const opening = this.#live.open(this.options.seen.resumeAt);
    if (this.#knownEnding) await this.#pauseUntil(opening);
    else await Promise.race([opening, this.#woken.promise]);
    this.context.signal.throwIfAborted();
  }

  async #pauseUntil(settled: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const end = () => over.abort();
    settled.then(end, end);
    await this.context.delay(settlePausesMs.live, over.signal).catch(() => {});
  }

  /** Waits for lines of the live log, or until it is time to read the history. */
  async *#wait(): AsyncGenerator<LogLine[]> {
    this.#tellLate();
    const { until } = this.options;
    const remainingMs = until - this.context.now();
    const { socket } = this.#live;
    if (socket) {
      const waitMs = this.#knownEnding ? settlePausesMs.live : Math.max(0, Math.min(this.#besideMs, remainingMs));
      const lines = this.#live.next(waitMs, reorderMs);
      if (this.#knownEnding) await this.#pauseUntil(lines).then(() => socket.wake());
      yield* this.#take(await lines, socket);
    } else if (this.#knownEnding) await this.context.delay(settlePausesMs.live);
    else await this.#pause(Math.max(0, Math.min(this.#intervals.ms, this.#live.msUntilNext(), remainingMs)));
  }

  #tellLate(): void {
    const ending = this.#knownEnding;
    if (this.#hasToldLate || !ending || this.#readAt < ending.at || this.options.seen.last) return;
    this.#hasToldLate = true;
    this.options.onLate?.(msToSettle(this.context, ending));
  }

  async #pause(ms: number): Promise<void> {
    await this.context.delay(ms, this.#wakes).catch((error: unknown) => {
      if (this.context.signal.aborted || !this.#knownEnding) throw error;
    });
  }

  *#take(lines: LogLine[], socket: LogSocket): Generator<LogLine[]> {
    const { seen, onGap } = this.options;
    if (lines.length === 0) return;
    this.#arrivals.noteReply();
    const fresh = lines.filter((line) => seen.isNew(line, 'socket', socket)).sort(compareLines);
    if (this.#mayHaveGap && fresh.length === lines.length) onGap(this.#lastLine, fresh[0]);
    this.#mayHaveGap = false;
    yield* this.#inRange(fresh);
  }

  *#inRange(lines: LogLine[]): Generator<LogLine[]> {
    const start = this.#start;
    const { until } = this.options;
    this.#isOver ||= lines.some(({ at }) => at >= until);
    const result = lines.filter((line) => line.at < until && (!start || compareLines(line, start) > 0));
    if (result.length === 0) return;
    this.#arrivals.add(result, this.#readAt === Number.NEGATIVE_INFINITY);
    yield result;
  }

  /**
   * Reads the history from the last line on; `whole`: all that is remembered, for lines that the live log has missed.
   * Retries a few times while a live log is waiting.
   */
  async *#readHistory(whole: boolean): AsyncGenerator<LogLine[]> {
    this.#lastLine = this.options.seen.last;
    this.#readBeside = this.#live.socket;
    for (let reads = 1; ; reads++) {
      try {
        yield* this.#readHistoryOnce(whole);
        return;
      } catch (error) {
        const { isOpen, isTransient } = this.#noteFailure(error);
        if (!isOpen) return;
        if (!isTransient || reads === maxHistoryReads) return this.#giveHistoryUp(isTransient);
        await this.#pause(this.#intervals.ms);
      }
    }
  }

  /** Throws what is neither transient nor a refusal that an open live log survives. */
  #noteFailure(error: unknown): { isOpen: boolean; isTransient: boolean } {
    this.context.signal.throwIfAborted();
    const ending = this.#knownEnding;
    this.#isGivenUp = ending !== undefined && msToSettle(this.context, ending) === 0;
    const isOpen = this.#live.socket !== undefined && !ending;
    const isTransient = this.#intervals.failed(error);
    if (!isTransient && !(isOpen && isRefusal(error))) throw error;
    return { isOpen, isTransient };
  }

  /** The live log goes on without what was missed. */
  #giveHistoryUp(isTransient: boolean): void {
    const { seen, onGap } = this.options;
    if (!isTransient) onGap(seen.last, undefined);
    this.#mayHaveGap = isTransient && seen.last !== undefined;
    this.#missedSince = undefined;
  }

  async *#readHistoryOnce(whole: boolean): AsyncGenerator<LogLine[]> {
    const { source, seen, onGap, ended } = this.options;
    if (whole) this.#missedSince = 0;
    this.#missedSince ??= seen.resumeHistoryAt;
    const since = seen.rememberedFrom(this.#missedSince);
    const lastBefore = seen.last;
    let first: LogLine | undefined;
    const history = readForward(source, { since }, seen, onGap);
    let step = await history.next();
    for (; !step.done; step = await history.next()) {
      first ??= step.value[0];
      yield* this.#inRange(step.value);
    }
    this.#start = undefined;
    this.#readAt = this.context.elapsed();
    // The last line should have been read again. If it is gone, so may be those after it.
    const { overlaps, ended: hasEnded } = step.value;
    if (lastBefore && first && !overlaps) onGap(lastBefore, first);
    this.#missedSince = undefined;
    if (hasEnded && !ended) this.#ending ??= endingOf(this.context);
    this.#intervals.succeeded(first !== undefined);
    this.#mayHaveGap = false;
  }
}

/** The platform refuses this range, perhaps because it is too old. */
function isRefusal(error: unknown): boolean {
  return isReplyWith(error, [400, 410, 416, 422]);
}
