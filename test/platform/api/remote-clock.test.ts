import { expect, test } from 'vitest';
import { RemoteClock } from '../../../src/platform/api/remote-clock.ts';
import { isNewFile } from '../../../src/storage/copy/upload-confirmation.ts';

const now = Date.parse('2026-11-22T12:00:00.400Z');
const seconds = (count: number) => now + count * 1_000;
const newClock = (date?: string) => {
  const clock = new RemoteClock(() => now);
  if (date !== undefined) clock.observe({ date });
  return clock;
};

test.each([
  [undefined, 0],
  ['no date', 0],
  ['Sun, 22 Nov 2026 12:00:00 GMT', 0],
  ['Sun, 22 Nov 2026 11:59:59 GMT', 0],
  ['Sun, 22 Nov 2026 13:00:00 GMT', 3_599_600],
  ['Sun, 22 Nov 2026 11:30:00 GMT', -1_800_400],
])('by the date %j, the clock of the storage is ahead by %i ms', (date, expected) => {
  expect(newClock(date).current() - now).toBe(expected);
});

test.each<[string, number | undefined, RemoteClock, boolean]>([
  ['written during the upload', seconds(-1), newClock(), true],
  ['written before it', seconds(-60), newClock(), false],
  ['without a time', undefined, newClock(), false],
  ['written before it, by a clock that is ahead', seconds(3600 - 60), newClock('Sun, 22 Nov 2026 13:00:00 GMT'), false],
  ['written during it, by a clock that is ahead', seconds(3600 - 1), newClock('Sun, 22 Nov 2026 13:00:00 GMT'), true],
  ['in the future, which proves nothing', seconds(30), newClock(), false],
])('whether a file is new: %s', (_, time, storageClock, expected) => {
  const startedAt = storageClock.timeOf(seconds(-2));
  expect(isNewFile(time, { startedAt, bytes: 10 }, { resources: { storageClock } })).toBe(expected);
});
