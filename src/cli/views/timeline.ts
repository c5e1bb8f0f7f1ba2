import type { ChartReport } from '../../kernel/output/chart/model.ts';
import { renderChart } from '../../kernel/output/chart/render.ts';
import type { View } from '../../kernel/output/page.ts';
import { onTerminal, stackViews, wrapped } from '../../kernel/output/table.ts';
import { localMinute, localTimeZone } from '../../kernel/wall-clock.ts';

/** The summary, charts and a table of values, or the summary alone if nothing was measured; off a terminal values only. */
export function chartView<Row>({ summary, chart }: ChartReport<Row>, hasValues: boolean, view: View, piped = view) {
  const headline = wrapped(summary.join('\n'));
  return onTerminal(hasValues ? stackViews(headline, renderChart(chart), view) : headline, piped);
}

export interface ChartRange {
  since: number;
  until: number;
}

export interface TimelineStep<Entry> {
  /** Its start, in ms since 1970. */
  time: number;
  entry?: Entry;
}

interface TimelineOptions<Entry> {
  /** In ms since 1970. The default end is one step later; an entry whose start is NaN is dropped. */
  spanOf: (entry: Entry) => { start: number; end?: number };
  stepMs: number;
  range: ChartRange;
}

/** A longer gap is not filled: times so far apart are a mistake. */
const maxEmptySteps = 20_000;

export function createTimeline<Entry>(entries: readonly Entry[], { spanOf, stepMs, range }: TimelineOptions<Entry>) {
  const spans = entries
    .map((entry) => ({ entry, ...spanOf(entry) }))
    .filter(({ start }) => Number.isFinite(start))
    .sort((a, b) => a.start - b.start);
  const steps: TimelineStep<Entry>[] = [];
  let covered = range.since;
  for (const { entry, start, end = start + stepMs } of spans) {
    const missing = emptyStepsBetween(covered, start, stepMs);
    for (let index = missing; index > 0; index--) steps.push({ time: start - index * stepMs });
    steps.push({ time: start, entry });
    covered = end;
  }
  const missing = emptyStepsBetween(covered, range.until, stepMs);
  for (let index = 0; index < missing; index++) steps.push({ time: covered + index * stepMs });
  return steps;
}

/** Rounded: a day has 23 or 25 hours when clocks change. */
function emptyStepsBetween(from: number, to: number, stepMs: number): number {
  const steps = Math.round((to - from) / stepMs);
  return steps > 0 && steps <= maxEmptySteps ? steps : 0;
}

/** Points for entries of one time each, as far apart as most of them are. */
export function pointsOfTime<Entry>(entries: readonly Entry[], timeOf: (entry: Entry) => number, range: ChartRange) {
  const stepMs = medianDistance(entries.map(timeOf), range);
  return createTimeline(entries, { range, stepMs, spanOf: (entry) => ({ start: timeOf(entry) }) });
}

/** The median distance of two times, in ms; the length of the range if there are not two. */
function medianDistance(times: readonly number[], { since, until }: ChartRange): number {
  const sorted = times.toSorted((a, b) => a - b);
  const distances = sorted
    .slice(1)
    .map((time, index) => time - (sorted[index] ?? 0))
    .filter((ms) => ms > 0)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? Math.max(1, until - since);
}

/** `2026-11-20 14:00 to 2026-11-21 14:00, Europe/Berlin`. */
export function rangeText({ since, until }: ChartRange): string {
  return `${localMinute(since)} to ${localMinute(until)}, ${localTimeZone()}`;
}
