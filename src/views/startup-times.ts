import type { StartupTimes } from '../contract/metrics.ts';
import { type Chart, picture } from '../output/chart.ts';
import type { View } from '../output/page.ts';
import { type Columns, stack, table } from '../output/table.ts';
import { count, duration } from '../output/words.ts';
import { clockText, wallClock } from '../output/zone.ts';
import { type Range, rangeText, timeline } from './timeline.ts';

/** How the start-up times were asked for. */
export interface StartupWish {
  range: Range;
  /** IANA name. */
  zone: string;
}

type Point = NonNullable<NonNullable<StartupTimes['data']>['time_series']>[number];

/** Start-up times as a picture, and below it the numbers, the newest first. */
export function startupView(reply: StartupTimes, wish: StartupWish): View {
  const measured = measuredPoints(reply);
  const headline = startupHeadline(reply, wish);
  if (measured.length === 0) return () => headline;
  return stack(headline, picture(startupChart(reply, wish)), table(measured.toReversed(), pointColumns(wish)));
}

/** `312 runs: 2026-11-20 14:00 to 2026-11-21 14:00, Europe/Berlin`. */
export function startupHeadline({ data }: StartupTimes, { range, zone }: StartupWish): string {
  const runs = data?.total_runs;
  return `${typeof runs === 'number' ? count(runs, 'run') : 'start-up times'}: ${rangeText(range, zone)}`;
}

/** Start-up times as series, in milliseconds. */
export function startupChart({ data }: StartupTimes, { range, zone }: StartupWish): Chart {
  const points = data?.time_series ?? [];
  const steps = timeline(points, {
    range,
    stepMs: usualDistance(points, range),
    spanOf: ({ timestamp }) => ({ start: timestamp * 1000 }),
  });
  const series = percentiles.map((name) => ({
    name,
    values: steps.map(({ entry }) => milliseconds(entry?.[name])),
  }));
  return {
    ...{ step: 'point', zone, times: steps.map(({ time }) => time) },
    panels: [{ title: 'start-up time', kind: 'lines', unit: 'ms', series }],
  };
}

/** The points at which something started, in order of time. */
export function measuredPoints({ data }: StartupTimes): Point[] {
  return (data?.time_series ?? [])
    .filter((point) => percentiles.some((name) => typeof point[name] === 'number'))
    .sort((one, other) => one.timestamp - other.timestamp);
}

export function pointColumns({ zone }: StartupWish): Columns<Point> {
  const clock = wallClock(zone);
  const text = (seconds: number | null | undefined) => (typeof seconds === 'number' ? duration(seconds * 1000) : '');
  return {
    TIME: ({ timestamp }) => clockText(clock(timestamp * 1000)),
    P50: ({ p50 }) => text(p50),
    P90: ({ p90 }) => text(p90),
    P99: ({ p99 }) => text(p99),
  };
}

const percentiles = ['p50', 'p90', 'p99'] as const;

function milliseconds(seconds: number | null | undefined): number | null {
  return typeof seconds === 'number' ? seconds * 1000 : null;
}

/** From one point to the next, in the middle of all such distances. */
function usualDistance(points: readonly Point[], { since, until }: Range): number {
  const times = points.map(({ timestamp }) => timestamp * 1000).sort((one, other) => one - other);
  const distances = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? 0))
    .filter((ms) => ms > 0)
    .sort((one, other) => one - other);
  return distances[Math.floor(distances.length / 2)] ?? Math.max(1, until - since);
}
