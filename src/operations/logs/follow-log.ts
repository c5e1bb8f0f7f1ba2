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
  /** What was shown already. From its last line on everything is. */
  seen: SeenLines;
  gaps: LogGaps;
  /** Stop at this moment (in milliseconds since 1970). */
  until: number;
}

type Needs = Pick<Context, 'now' | 'elapsed' | 'delay' | 'signal' | 'progress' | 'silenceMs'>;

/** Lines of several containers do not come quite in their order: so long is waited for the stragglers. */
const gatherMs = 50;
/** A socket that stays open for so long works, even if nothing is said (in milliseconds). */
const provenMs = 10_000;
/** While a live log is open, the history is tried so often before lines are given up. */
const mostLooks = 3;
/**
 * Yields new lines as they arrive, each line once. Uses the socket when it works. When the socket fails, and once more
 * when it works again, reads the history from the last line on. A failed poll or socket never ends it. Ends when the
 * log is over, or at `until`.
 */
export async function* followLog(context: Needs, following: FollowLogOptions): AsyncGenerator<LogLine[]> {
  const follower = new Follower(context, following);
  try {
    yield* follower.lines();
  } finally {
    follower.close();
  }
}

class Follower {
  private readonly live: LiveLog;
  private readonly pauses: PollIntervals;
  /** From here on lines may have been missed, in milliseconds since 1970. */
  private hole: number | undefined;
  /** The last line before it. Nobody knows what was said after it while `unproven`. */
  private edge: LogLine | undefined;
  private unproven = false;
  private over = false;
  private complained = false;
  /** The last line that was there before. Until the history was looked at once, what is before it is not new. */
  private start: LogLine | undefined;

  constructor(
    private readonly context: Needs,
    private readonly following: FollowLogOptions,
  ) {
    this.live = new LiveLog(context, following.source);
    this.pauses = new PollIntervals(context.progress, following.source.pollMs);
    this.start = following.seen.last;
  }

  async *lines(): AsyncGenerator<LogLine[]> {
    const { now, delay } = this.context;
    const { until } = this.following;
    while (!this.over) {
      const last = now() >= until;
      if (!last) await this.live.open(this.following.seen.resumeAt);
      yield* this.lookUp();
      if (last) return;
      // Whoever wants no gap hears of it now.
      yield [];
      if (this.live.socket) yield* this.listen(this.live.socket);
      else if (!this.over) await delay(Math.max(0, Math.min(this.pauses.ms, this.live.nextIn(), until - now())));
    }
    // What was said at its very end may have come after its end was known.
    yield* this.lookUp();
  }

  close(): void {
    this.live.close();
  }

  private async *listen(socket: LogSocket): AsyncGenerator<LogLine[]> {
    const { now, elapsed, silenceMs } = this.context;
    const { seen, until, gaps } = this.following;
    const opened = elapsed();
    let works = false;
    for (;;) {
      const patienceMs = Math.max(0, Math.min(silenceMs, until - now()));
      const texts = await socket.next(patienceMs, seen.mixed ? gatherMs : 0);
      if (texts === 'closed') break;
      if (texts === 'quiet') {
        if (now() >= until) return this.close();
        // It is open and says nothing. The history knows whether there is nothing to say.
        const before = seen.last;
        yield* this.lookUp();
        if (this.over) return this.close();
        if (seen.last !== before) {
          this.close();
          return this.live.missed('the live log is silent');
        }
        works = true;
        this.live.proven();
        continue;
      }
      const lines = texts.flatMap((text) => this.read(text));
      const fresh = lines.filter((line) => seen.isNew(line, 'socket', socket)).sort(compareLines);
      if (lines.length > 0) {
        if (!works) this.live.proven();
        works = true;
        const [first] = fresh;
        if (this.unproven && fresh.length === lines.length) gaps.note(this.edge, first);
        this.unproven = false;
      }
      yield* this.wanted(fresh);
      if (this.over) break;
    }
    this.close();
    if (!works && elapsed() - opened < provenMs) this.live.missed(`the live log brings nothing (${socket.why})`);
    else this.live.ended();
  }

  private *wanted(lines: LogLine[]): Generator<LogLine[]> {
    const { start } = this;
    const { until } = this.following;
    this.over ||= lines.some(({ at }) => at >= until);
    const wanted = lines.filter((line) => line.at < until && (!start || compareLines(line, start) > 0));
    if (wanted.length > 0) yield wanted;
  }

  private read(text: string): LogLine[] {
    const lines = this.following.source.parseFrame(text);
    if (!lines && !this.complained) this.context.progress.warn('the live log sent something that is no line');
    this.complained ||= !lines;
    return lines ?? [];
  }

  /** Reads the history from the last line on. While a live log waits to be heard, not for ever. */
  private async *lookUp(): AsyncGenerator<LogLine[]> {
    const { seen, gaps } = this.following;
    this.edge = seen.last;
    for (let look = 1; ; look++) {
      try {
        yield* this.look();
        return;
      } catch (error) {
        this.context.signal.throwIfAborted();
        if (!this.pauses.bear(error)) {
          if (!this.live.socket || !isRefusal(error)) throw error;
          gaps.note(seen.last, undefined);
          this.hole = undefined;
          return;
        }
        if (!this.live.socket) return;
        if (look === mostLooks) {
          this.unproven = seen.last !== undefined;
          this.hole = undefined;
          return;
        }
        await this.context.delay(this.pauses.ms);
      }
    }
  }

  private async *look(): AsyncGenerator<LogLine[]> {
    const { source, seen, gaps } = this.following;
    const from = this.hole ?? seen.resumeAt;
    this.hole = from;
    const before = seen.last;
    let first: LogLine | undefined;
    const history = readForward(source, { since: from && seen.notBefore(from) }, seen, gaps.note);
    let step = await history.next();
    for (; !step.done; step = await history.next()) {
      first ??= step.value[0];
      yield* this.wanted(step.value);
    }
    this.start = undefined;
    // Our last line should have been among them. When it is not there any more, neither are those after it.
    if (before && first && !step.value.met) gaps.note(before, first);
    this.hole = undefined;
    this.over ||= step.value.ended;
    this.pauses.looked(first !== undefined);
    this.unproven = false;
  }
}

/** The platform understood and does not give it: it may be too long ago. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof GantryError ? error.facts.status : undefined;
  return status === 400 || status === 410 || status === 416 || status === 422;
}
