import type { LogSocket } from '../../api/log-socket.ts';
import type { Context } from '../../context.ts';
import { GantryError } from '../../errors.ts';
import type { LogGaps } from './gaps.ts';
import { readForward } from './history.ts';
import { LiveLog } from './live-log.ts';
import { compareLines, type LogLine } from './log-line.ts';
import type { LogSource } from './log-source.ts';
import { PollIntervals } from './poll-intervals.ts';
import type { SeenLines } from './seen-lines.ts';

export interface FollowLogOptions {
  source: LogSource;
  /** Lines that were shown. Following continues after the last one. */
  seen: SeenLines;
  gaps: LogGaps;
  /** When to stop, in ms since 1970. */
  until: number;
}

type Needs = Pick<Context, 'now' | 'elapsed' | 'delay' | 'signal' | 'progress' | 'silenceMs'>;

/** Lines of several containers arrive out of order: how long to collect them before they are sorted. */
const reorderMs = 50;
/** A live log that stays open this long works, even without lines. In ms. */
const stableMs = 10_000;
/** How often to read the history while a live log is waiting. */
const maxHistoryReads = 3;

/**
 * Yields new lines in batches, each line once. Uses the live log; when it is not available, polls the history from the
 * last line on, and reads it once more when the live log is back. No transient failure ends it, neither of a poll nor of
 * a socket. Returns when the log is over, or at `until`.
 */
export async function* followLog(context: Needs, options: FollowLogOptions): AsyncGenerator<LogLine[]> {
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
  /** Lines since this time may have been missed, in ms since 1970. */
  #missedSince: number | undefined;
  /** The last line before the history was read. Lines after it may be missing while `mayHaveGap`. */
  #lastLine: LogLine | undefined;
  #mayHaveGap = false;
  #isOver = false;
  #hasWarned = false;
  /** The last line that was shown before. Until the history is read once, earlier lines are not new. */
  #start: LogLine | undefined;

  constructor(
    private readonly context: Needs,
    private readonly options: FollowLogOptions,
  ) {
    this.#live = new LiveLog(context, options.source);
    this.#intervals = new PollIntervals(context.progress, options.source.pollMs);
    this.#start = options.seen.last;
  }

  async *lines(): AsyncGenerator<LogLine[]> {
    const { now, delay } = this.context;
    const { until } = this.options;
    while (!this.#isOver) {
      const isLast = now() >= until;
      if (!isLast) await this.#live.open(this.options.seen.resumeAt);
      yield* this.#readHistory();
      if (isLast) return;
      // Lets the caller check for gaps.
      yield [];
      if (this.#live.socket) yield* this.#listen(this.#live.socket);
      else if (!this.#isOver)
        await delay(Math.max(0, Math.min(this.#intervals.ms, this.#live.msUntilNext(), until - now())));
    }
    // The last lines may arrive after the end is known.
    yield* this.#readHistory();
  }

  close(): void {
    this.#live.close();
  }

  async *#listen(socket: LogSocket): AsyncGenerator<LogLine[]> {
    const { now, elapsed, silenceMs } = this.context;
    const { seen, until, gaps } = this.options;
    const openedAt = elapsed();
    let works = false;
    for (;;) {
      const timeoutMs = Math.max(0, Math.min(silenceMs, until - now()));
      const texts = await socket.next(timeoutMs, seen.isInterleaved ? reorderMs : 0);
      if (texts === 'closed') break;
      if (texts === 'quiet') {
        if (now() >= until) return this.close();
        if (yield* this.#hasStopped()) return;
        works = true;
        continue;
      }
      const lines = texts.flatMap((text) => this.#parse(text));
      const fresh = lines.filter((line) => seen.isNew(line, 'socket', socket)).sort(compareLines);
      if (lines.length > 0) {
        if (!works) this.#live.succeeded();
        works = true;
        const [first] = fresh;
        if (this.#mayHaveGap && fresh.length === lines.length) gaps.add(this.#lastLine, first);
        this.#mayHaveGap = false;
      }
      yield* this.#inRange(fresh);
      if (this.#isOver) break;
    }
    this.close();
    if (!works && elapsed() - openedAt < stableMs)
      this.#live.failed(`the live log returns nothing (${socket.closeReason})`);
    else this.#live.ended();
  }

  *#inRange(lines: LogLine[]): Generator<LogLine[]> {
    const start = this.#start;
    const { until } = this.options;
    this.#isOver ||= lines.some(({ at }) => at >= until);
    const result = lines.filter((line) => line.at < until && (!start || compareLines(line, start) > 0));
    if (result.length > 0) yield result;
  }

  /** Checks the history for lines that a silent live log should have sent. Closes it if there are any, or at the end. */
  async *#hasStopped(): AsyncGenerator<LogLine[], boolean> {
    const { seen } = this.options;
    const before = seen.last;
    yield* this.#readHistory();
    const hasMissed = seen.last !== before;
    if (!this.#isOver && !hasMissed) {
      this.#live.succeeded();
      return false;
    }
    this.close();
    if (!this.#isOver) this.#live.failed('the live log is silent');
    return true;
  }

  #parse(text: string): LogLine[] {
    const lines = this.options.source.parseFrame(text);
    if (!lines && !this.#hasWarned) this.context.progress.warn('the live log sent an invalid message');
    this.#hasWarned ||= !lines;
    return lines ?? [];
  }

  /** Reads the history from the last line on. Retries a few times while a live log is waiting. */
  async *#readHistory(): AsyncGenerator<LogLine[]> {
    const { seen, gaps } = this.options;
    this.#lastLine = seen.last;
    for (let reads = 1; ; reads++) {
      try {
        yield* this.#readHistoryOnce();
        return;
      } catch (error) {
        this.context.signal.throwIfAborted();
        if (!this.#intervals.failed(error)) {
          if (!this.#live.socket || !isRefusal(error)) throw error;
          gaps.add(seen.last, undefined);
          this.#missedSince = undefined;
          return;
        }
        if (!this.#live.socket) return;
        if (reads === maxHistoryReads) {
          this.#mayHaveGap = seen.last !== undefined;
          this.#missedSince = undefined;
          return;
        }
        await this.context.delay(this.#intervals.ms);
      }
    }
  }

  async *#readHistoryOnce(): AsyncGenerator<LogLine[]> {
    const { source, seen, gaps } = this.options;
    const from = this.#missedSince ?? seen.resumeAt;
    this.#missedSince = from;
    const before = seen.last;
    let first: LogLine | undefined;
    const history = readForward(source, { since: from && seen.notBefore(from) }, seen, gaps.add);
    let step = await history.next();
    for (; !step.done; step = await history.next()) {
      first ??= step.value[0];
      yield* this.#inRange(step.value);
    }
    this.#start = undefined;
    // The last line should have been read again. If it is gone, so may be those after it.
    if (before && first && !step.value.overlaps) gaps.add(before, first);
    this.#missedSince = undefined;
    this.#isOver ||= step.value.ended;
    this.#intervals.succeeded(first !== undefined);
    this.#mayHaveGap = false;
  }
}

/** The platform refuses this range, perhaps because it is too old. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof GantryError ? error.facts.status : undefined;
  return status === 400 || status === 410 || status === 416 || status === 422;
}
