import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitIntoBuckets } from '../../src/emulator/model/runs/buckets.ts';
import type { BucketSize } from '../../src/platform/contract/runs.ts';
import { drawnCases } from '../support/extent.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Start, length in hours, and label of each bucket. */
function buckets(from: string, to: string, size: BucketSize, zone?: string) {
  return splitIntoBuckets({ start: Date.parse(from), end: Date.parse(to) }, size, zone).map(
    ({ start, end, label }) => `${new Date(start).toISOString().slice(0, 16)} ${(end - start) / hour} ${label}`,
  );
}

test.each([
  ['Europe/Berlin', '2026-03-27T23:00Z', '2026-03-30T22:00Z', [24, 23, 24]],
  ['Europe/Berlin', '2026-10-23T22:00Z', '2026-10-26T23:00Z', [24, 25, 24]],
  ['America/New_York', '2026-03-07T05:00Z', '2026-03-10T04:00Z', [24, 23, 24]],
  ['America/New_York', '2026-10-31T04:00Z', '2026-11-03T05:00Z', [24, 25, 24]],
  ['Pacific/Chatham', '2026-04-03T10:15Z', '2026-04-06T11:15Z', [24, 25, 24]],
  ['Pacific/Chatham', '2026-09-25T11:15Z', '2026-09-28T10:15Z', [24, 23, 24]],
  ['Australia/Lord_Howe', '2026-04-03T13:00Z', '2026-04-06T13:30Z', [24, 24.5, 24]],
  ['Asia/Kolkata', '2026-03-27T18:30Z', '2026-03-29T18:30Z', [24, 24]],
  // If midnight is skipped, the day starts at 1:00.
  ['Asia/Beirut', '2026-03-27T22:00Z', '2026-03-30T21:00Z', [24, 23, 24]],
  ['UTC', '2026-03-28T00:00Z', '2026-03-31T00:00Z', [24, 24, 24]],
])('a day has 23, 24 or 25 hours in %s from %s to %s', (zone, from, to, hours) => {
  const found = buckets(from, to, 'day', zone).map((bucket) => Number(bucket.split(' ')[1]));
  expect(found).toEqual(hours);
});

test('a repeated hour is two buckets, a skipped one is none', () => {
  expect(buckets('2026-10-25T00:00Z', '2026-10-25T03:00Z', 'hour', 'Europe/Berlin')).toEqual([
    '2026-10-25T00:00 1 2026-10-25T02:00+02:00',
    '2026-10-25T01:00 1 2026-10-25T02:00+01:00',
    '2026-10-25T02:00 1 2026-10-25T03:00+01:00',
  ]);
  expect(buckets('2026-03-29T00:00Z', '2026-03-29T02:00Z', 'hour', 'Europe/Berlin')).toEqual([
    '2026-03-29T00:00 1 2026-03-29T01:00+01:00',
    '2026-03-29T01:00 1 2026-03-29T03:00+02:00',
  ]);
  expect(buckets('2026-11-01T05:00Z', '2026-11-01T07:00Z', 'hour', 'America/New_York')).toEqual([
    '2026-11-01T05:00 1 2026-11-01T01:00-04:00',
    '2026-11-01T06:00 1 2026-11-01T01:00-05:00',
  ]);
});

test.each(['Mars/Olympus', '', '+02:00', 'Europe/Berlin '])('%j is not a time zone', (zone) => {
  expect(() => splitIntoBuckets({ start: 0, end: day }, 'hour', zone)).toThrow(RangeError);
});

const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', 'Australia/Lord_Howe'],
  ...['Africa/Casablanca', 'America/St_Johns', 'Pacific/Apia', 'Asia/Beirut', 'America/Havana'],
];

test('buckets of random ranges are contiguous and labeled with their local time', () => {
  const moment = fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2030, 0) });
  const size = fc.constantFrom<BucketSize>('minute', 'hour', 'day');
  const property = fc.property(
    ...([
      moment,
      fc.nat(40 * day),
      size,
      fc.constantFrom(...zones),
      fc.double({ min: 0, max: 1, noNaN: true }),
    ] as const),
    (start, length, size, zone, part) => {
      // A day of minutes tests as much as a month of them.
      const end = start + (size === 'minute' ? length % day : length);
      const found = splitIntoBuckets({ start, end }, size, zone);
      const ends = [start, ...found.map((bucket) => bucket.end)];
      expect(found.map((bucket) => bucket.start)).toEqual(ends.slice(0, -1));
      expect(ends.at(-1)).toBe(end);

      const time = Math.min(end - 1, Math.floor(start + part * (end - start)));
      const around = found.filter((bucket) => bucket.start <= time && time < bucket.end);
      expect(around).toHaveLength(end > start ? 1 : 0);
      for (const { label } of around) expect(label.slice(0, 16)).toBe(clock(time, size, zone));
    },
  );
  fc.assert(property, { numRuns: drawnCases(40, 150) });
});

/** The beginning of a label, from the Swedish locale, which formats dates like ISO 8601. */
function clock(time: number, size: BucketSize, timeZone: string): string {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(time);
  if (size === 'day') return text.slice(0, 10);
  return `${text.slice(0, 10)}T${text.slice(11, size === 'hour' ? 13 : 16)}${size === 'hour' ? ':00' : ''}`;
}
