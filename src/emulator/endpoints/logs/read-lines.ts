import { compareLogLines, generateLines, type PrintedLine } from '../../model/logs/log-lines.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { day, type TimeRange } from '../../model/time.ts';
import type { Platform } from '../platform.ts';

/** Log lines are kept for 30 days, as on the platform's standard plan. */
const retentionMs = 30 * day;

export type LogPosition = Pick<PrintedLine, 'at' | 'nanoseconds'>;

export function hasLines({ id, traffic }: AppRecord, platform: Platform): boolean {
  return traffic !== undefined || printedLines(id, platform).length > 0;
}

/** Lines stay in order even if the clock is set back: then they are later than it. */
function printedLines(app: string, { runner, late, now }: Platform): readonly PrintedLine[] {
  const lines = runner.logs.getLines(app);
  return late.ms === 0 ? lines : lines.filter(({ at }) => at <= now());
}

/**
 * The lines of an app in a range, those of seeded runs included, oldest or newest first. Reads day by day, so that a page
 * does not need a month.
 */
export function* readLines(
  app: AppRecord,
  { start, end }: TimeRange,
  backward: boolean,
  platform: Platform,
): Generator<PrintedLine> {
  const { now } = platform;
  const printed = printedLines(app.id, platform);
  if (!app.traffic) {
    yield* backward ? printed.toReversed() : printed;
    return;
  }
  // Printed lines stay in order even if the clock is set back.
  const latest = Math.max(now(), printed.at(-1)?.at ?? 0);
  const range = { start: Math.max(start, now() - retentionMs, app.traffic.since), end: Math.min(end, latest) };
  for (const { start: from, end: until } of daysOf(range, backward)) {
    const lines = [
      ...generateLines(app, { start: from, end: Math.min(until, now()) }),
      ...printed.filter(({ at }) => at >= from && at <= until),
    ];
    lines.sort(compareLogLines);
    yield* backward ? lines.reverse() : lines;
  }
}

/** Consecutive spans of at most a day. */
function daysOf({ start, end }: TimeRange, backward: boolean): TimeRange[] {
  const spans: TimeRange[] = [];
  for (let from = start; from <= end; from += day) spans.push({ start: from, end: Math.min(end, from + day - 1) });
  return backward ? spans.reverse() : spans;
}
