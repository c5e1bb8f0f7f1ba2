import type { BucketSize } from '../../contract/runs.ts';
import { day, hour, minute, type TimeRange } from '../time.ts';

/** A minute, an hour or a day of somebody's clock, cut to the range it was asked for. */
export interface Bucket extends TimeRange {
  /** What that clock says: `2026-10-25`, `2026-10-25T02:00+02:00`. */
  label: string;
}

/**
 * Tiles a range with buckets: each ends where the next one starts. They follow the clocks of the zone: a day has 23 or
 * 25 hours where these change, the hour that comes twice is two buckets, and where clocks are half an hour off, so are
 * the hours. Throws a RangeError when there is no such zone.
 */
export function splitIntoBuckets({ start, end }: TimeRange, size: BucketSize, zone = 'UTC'): Bucket[] {
  if (start === end) return splitIntoBuckets({ start, end: start + 1 }, size, zone).map((only) => ({ ...only, end }));
  const length = { minute, hour, day }[size];
  const buckets: Bucket[] = [];
  for (const stretch of splitByOffset({ start, end }, zone)) {
    const { offset } = stretch;
    for (let from = stretch.start; from < stretch.end; ) {
      const local = Math.floor((from + offset) / length) * length;
      const to = Math.min(local + length - offset, stretch.end);
      const label = labelOf(local, offset, size);
      const last = buckets.at(-1);
      // A day goes on when the clocks change in the middle of it.
      if (last?.label === label) last.end = to;
      else buckets.push({ start: from, end: to, label });
      from = to;
    }
  }
  return buckets;
}

/** A stretch in which the clocks do not change, and how far they are ahead of UTC. */
interface OffsetSpan extends TimeRange {
  offset: number;
}

/** Looks at every day of the range, and closer where it ends with other clocks than it began with. */
function splitByOffset({ start, end }: TimeRange, zone: string): OffsetSpan[] {
  const offsetAt = createOffsetReader(zone);
  const stretches: OffsetSpan[] = [];
  let current = { start, offset: offsetAt(start) };
  for (let from = start; from < end; from += day) {
    const to = Math.min(from + day, end);
    const offset = offsetAt(to);
    if (offset === current.offset) continue;
    const change = findOffsetChange(from, to, offsetAt);
    stretches.push({ ...current, end: change });
    current = { start: change, offset };
  }
  stretches.push({ ...current, end });
  return stretches.filter((stretch) => stretch.start < stretch.end);
}

/** The first millisecond with other clocks. */
function findOffsetChange(from: number, to: number, offsetAt: (time: number) => number): number {
  const before = offsetAt(from);
  let [same, other] = [from, to];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}

/** Tells how many milliseconds the clocks of a zone are ahead of UTC. */
function createOffsetReader(zone: string): (time: number) => number {
  // `+02:00` is an offset, no zone; some versions of Node take it for one.
  if (!/^[A-Za-z]/.test(zone)) throw new RangeError(`${zone} is not the name of a zone`);
  const clock = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (time) => {
    const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day: date = 1, hour: hours = 0, minute: minutes = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, date, hours, minutes, second) - Math.floor(time / 1000) * 1000;
  };
}

function labelOf(local: number, offset: number, size: BucketSize): string {
  const text = new Date(local).toISOString();
  if (size === 'day') return text.slice(0, 10);
  return text.slice(0, 16) + offsetText(offset);
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(Math.round(offset / minute));
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
