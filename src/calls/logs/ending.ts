import { duration, toMs } from '../../kernel/output/format.ts';
import type { Progress } from '../../kernel/output/progress.ts';
import type { Context } from '../../platform/context.ts';
import type { LogLine } from './log-line.ts';

/** When the work that prints a log ended, as `elapsed` counts, and how long its last lines are waited for, in ms. */
export type LogEnding = ReturnType<typeof endingOf>;

/** For how long lines may still arrive of work that has ended, in ms; 0 if none is late any more. */
export function msToSettle({ elapsed }: Pick<Context, 'elapsed'>, { at, limitMs }: LogEnding): number {
  return Math.max(0, at + limitMs - elapsed());
}

/** A status is final before all lines are visible: this long, in ms (docs/platform.md#logs). */
export const maxLagMs = 10_000;

/** Nothing new for this long is the end, where the work has ended and no line was later than that. In ms. */
const quietMs = 2_000;
/** How much later a line may be found than it was visible, in ms. */
const pollDelayMs = 1_000;

/** Says why a command waits, if it does for long. */
export function noteLate({ note }: Pick<Progress, 'note'>): (leftMs: number) => void {
  return (leftMs) => {
    if (leftMs > quietMs) note(`it has ended; log lines may come for ${duration(leftMs)} more`);
  };
}

/** `endedAt`: by the platform's clock, if another command waited for the end. */
export function endingOf(
  { elapsed, platformNow }: Pick<Context, 'elapsed' | 'platformNow'>,
  endedAt?: string | null,
  limitMs = maxLagMs,
) {
  const agoMs = platformNow() - toMs(endedAt);
  return { at: elapsed() - Math.max(0, agoMs || 0), limitMs };
}

/** When lines arrived, and how late they were: which may still be on their way. */
export class Arrivals {
  #newAt: number;
  #newestAt = 0;
  /** How late the latest line was; unknown while all lines were there before. */
  #lateMs: number | undefined;

  constructor(private readonly context: Pick<Context, 'elapsed' | 'platformNow'>) {
    this.#newAt = context.elapsed();
  }

  /** Lines come, shown before or not: others may follow. */
  noteReply(): void {
    this.#newAt = this.context.elapsed();
  }

  /** `isFirst`: lines that were there before the log was read are old rather than late. */
  add(lines: readonly LogLine[], isFirst: boolean): void {
    this.#newAt = this.context.elapsed();
    for (const { at } of lines) {
      this.#newestAt = Math.max(this.#newestAt, at);
      const lateMs = this.context.platformNow() - at - pollDelayMs;
      if (!isFirst && lateMs <= maxLagMs) this.#lateMs = Math.max(this.#lateMs ?? 0, lateMs);
    }
  }

  /**
   * Whether all lines of work that has ended have arrived. If none has, all of them may be late, unless `isClosed`: the
   * platform has closed its live log.
   */
  areComplete(ending: LogEnding, isEmpty: boolean, isClosed: boolean): boolean {
    const { at } = ending;
    const now = this.context.elapsed();
    const endedAt = this.context.platformNow() - (now - at);
    // A program prints last when it ends: a log that was there and stops before may lack its end.
    const unseenMs = this.#newestAt < endedAt - pollDelayMs ? maxLagMs : 0;
    const lateMs = this.#lateMs ?? unseenMs;
    const lastAt = isEmpty ? at : Math.max(at + lateMs, this.#newAt);
    return msToSettle(this.context, ending) === 0 || ((!isEmpty || isClosed) && now >= lastAt + quietMs);
  }
}
