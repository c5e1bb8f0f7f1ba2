import { formatWallClock, wallClock } from '../output/time-zone.ts';

/** Milliseconds since 1970. */
export interface ChartRange {
  since: number;
  until: number;
}

/** A stretch of time and what was measured in it, if anything. */
export interface TimelineStep<Entry> {
  /** Its start: milliseconds since 1970. */
  time: number;
  entry?: Entry;
}

interface TimelineOptions<Entry> {
  /** Milliseconds since 1970; no end means: the next step. NaN leaves the entry out. */
  spanOf: (entry: Entry) => { start: number; end?: number };
  /** Milliseconds. */
  stepMs: number;
  range: ChartRange;
}

/** More empty steps than these are left out: times so far apart are a mistake. */
const maxEmptySteps = 20_000;

/** Entries in order of time, and an empty step wherever the range has one without: a gap must be seen as one. */
export function createTimeline<Entry>(
  entries: readonly Entry[],
  { spanOf, stepMs, range }: TimelineOptions<Entry>,
): TimelineStep<Entry>[] {
  const spans = entries
    .map((entry) => ({ entry, ...spanOf(entry) }))
    .filter(({ start }) => Number.isFinite(start))
    .sort((one, other) => one.start - other.start);
  const steps: TimelineStep<Entry>[] = [];
  let reached = range.since;
  for (const { entry, start, end = start + stepMs } of spans) {
    const missing = gapsBetween(reached, start, stepMs);
    for (let index = missing; index > 0; index--) steps.push({ time: start - index * stepMs });
    steps.push({ time: start, entry });
    reached = end;
  }
  const missing = gapsBetween(reached, range.until, stepMs);
  for (let index = 0; index < missing; index++) steps.push({ time: reached + index * stepMs });
  return steps;
}

/** Whole steps, about: a day has 23 hours where clocks change. */
function gapsBetween(from: number, to: number, stepMs: number): number {
  const steps = Math.round((to - from) / stepMs);
  return steps > 0 && steps <= maxEmptySteps ? steps : 0;
}

/** `2026-11-20 14:00 to 2026-11-21 14:00, Europe/Berlin`. */
export function rangeText({ since, until }: ChartRange, zone: string): string {
  const clock = wallClock(zone);
  return `${formatWallClock(clock(since))} to ${formatWallClock(clock(until))}, ${zone}`;
}
