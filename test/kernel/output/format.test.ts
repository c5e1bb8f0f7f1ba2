import { afterEach, describe, expect, test } from 'vitest';
import {
  ago,
  count,
  countCell,
  dollars,
  duration,
  durationCell,
  fileSummary,
  localTime,
  size,
  sizeCell,
  timeLeft,
} from '../../../src/kernel/output/format.ts';
import type { Page } from '../../../src/kernel/output/page.ts';
import { wrapText } from '../../../src/kernel/output/wrap-text.ts';

test.each([
  [null, ''],
  [undefined, ''],
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1536, '1.5 KiB'],
  [102_400, '100 KiB'],
  [1024 ** 2 - 1, '1024 KiB'],
  [1024 ** 2, '1.0 MiB'],
  [2 * 1024 ** 3, '2.0 GiB'],
  [1024 ** 4, '1.0 TiB'],
  [5000 * 1024 ** 4, '5000 TiB'],
])('%s bytes are "%s"', (bytes, text) => {
  expect(size(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [999.7, '1000 ms'],
  [1_000, '1.0 s'],
  [9_499, '9.5 s'],
  [12_400, '12 s'],
  [59_499, '59 s'],
  [59_700, '1m'],
  [95_000, '1m 35s'],
  [3_599_000, '59m 59s'],
  [3_600_000, '1h'],
  [90 * 60_000, '1h 30m'],
  [50 * 3_600_000, '2d 2h'],
])('%s ms are "%s"', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

const now = Date.UTC(2026, 10, 20, 12);

test.each([
  [null, ''],
  ['', ''],
  ['not a time', 'not a time'],
  [at(0), 'just now'],
  [at(4_999), 'just now'],
  [at(5_000), '5 s ago'],
  [at(59_999), '59 s ago'],
  [at(60_000), '1 min ago'],
  [at(3_599_999), '59 min ago'],
  [at(3_600_000), '1 h ago'],
  [at(86_400_000), '1 d ago'],
  [at(29 * 86_400_000), '29 d ago'],
  [at(30 * 86_400_000), '2026-10-21'],
  [at(-60_000), 'just now'],
])('%s was "%s"', (time, text) => {
  expect(ago(time)({ now, terminal: true } as Page)).toBe(text);
});

test('off a terminal a size is in bytes, a duration in ms, and a count has no commas', () => {
  const scripts = { terminal: false } as Page;
  const people = { terminal: true } as Page;
  expect([sizeCell(1536), durationCell(95_000), countCell(1200)].map((cell) => cell(scripts))).toEqual([
    '1536',
    '95000',
    '1200',
  ]);
  expect([sizeCell(1536), durationCell(95_000), countCell(1200)].map((cell) => cell(people))).toEqual([
    '1.5 KiB',
    '1m 35s',
    '1,200',
  ]);
  expect([sizeCell(undefined)(scripts), durationCell(null)(scripts), durationCell(0)(scripts)]).toEqual(['', '', '0']);
});

test.each([ago, timeLeft])('off a terminal a time stays as the platform returned it', (read) => {
  expect(read('2026-11-20T12:00:00.000Z')({ now, terminal: false } as Page)).toBe('2026-11-20T12:00:00.000Z');
  expect(read(null)({ now, terminal: false } as Page)).toBe('');
});

test.each([
  ['one two three four five six seven', 20, ['one two three four', 'five six seven']],
  ['  indented: one two three four', 20, ['  indented: one two', '  three four']],
  ['see https://example.com/a/very/long/path now', 20, ['see', 'https://example.com/a/very/long/path', 'now']],
  ['漢字漢字 漢字漢字 漢字', 20, ['漢字漢字 漢字漢字', '漢字']],
  ['a\nb', 20, ['a', 'b']],
  ['one two three four five', Number.POSITIVE_INFINITY, ['one two three four five']],
])('%j is wrapped at words at %d columns', (text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});

test('an amount stays on one line with its unit', () => {
  expect(wrapText('it succeeded after some 181 ms, and 40 % of it', 27)).toEqual([
    'it succeeded after some',
    '181 ms, and 40 % of it',
  ]);
});

test('a command at the end of a line stays whole, on a line of its own if it needs one', () => {
  const line = 'build b-1 continues; to cancel it: gantry builds cancel web b-1';
  expect(wrapText(line, 70)).toEqual([line]);
  expect(wrapText(line, 40)).toEqual(['build b-1 continues; to cancel it:', 'gantry builds cancel web b-1']);
  expect(wrapText(`  ${line}`, 24)).toEqual([
    '  build b-1 continues;',
    '  to cancel it:',
    '  gantry builds cancel web b-1',
  ]);
});

test('a command that calls an app stays whole', () => {
  const line = "printf 'authorization: Bearer t' | curl -H @- http://127.0.0.1:4100/v4/p-1/web/run -d '{}'";
  expect(wrapText(line, 40)).toEqual([line]);
});

describe("in the user's time zone", () => {
  const zone = process.env.TZ;
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test.each([
    ['UTC', '2026-11-20T23:30:05.250Z', '2026-11-20 23:30:05'],
    ['Asia/Tokyo', '2026-11-20T23:30:05Z', '2026-11-21 08:30:05'],
    ['America/New_York', '2026-07-01T03:00:00Z', '2026-06-30 23:00:00'],
    ['Asia/Tokyo', 'never', 'never'],
  ])('in %s %s is %s', (place, time, text) => {
    process.env.TZ = place;
    expect(localTime(time)).toBe(text);
  });

  test('old dates are local, too', () => {
    process.env.TZ = 'Asia/Tokyo';
    expect(ago('2026-01-31T20:00:00Z')({ now, terminal: true } as Page)).toBe('2026-02-01');
  });
});

test.each([
  [0, '0 files'],
  [1, '1 file'],
  [999, '999 files'],
  [1_200, '1,200 files'],
  [1_234_567, '1,234,567 files'],
])('%s is shown as "%s"', (number, text) => {
  expect(count(number, 'file')).toBe(text);
});

test.each([
  [0, '$0.00'],
  [0.0222, '$0.0002'],
  [0.5, '$0.0050'],
  [1, '$0.01'],
  [79.92, '$0.80'],
  [123_456.7, '$1,234.57'],
  [-123_456, '-$1,234.56'],
])('%s cents are "%s"', (cents, text) => {
  expect(dollars(cents)).toBe(text);
});

test('files are summarized by number and size', () => {
  expect(fileSummary(1, 0)).toBe('1 file, 0 B');
  expect(count(2, 'entry', 'entries')).toBe('2 entries');
});

function at(age: number): string {
  return new Date(now - age).toISOString();
}

test.each([
  [null, ''],
  ['never', 'never'],
  [at(1), 'expired'],
  [at(0), 'expired'],
  [at(-30_000), 'in 30 s'],
  [at(-90_000), 'in 1 min'],
  [at(-5 * 3_600_000), 'in 5 h'],
  [at(-12.5 * 86_400_000), 'in 12 d'],
  [at(-200 * 86_400_000), 'in 200 d'],
])('the time until %s is "%s"', (time, text) => {
  expect(timeLeft(time)({ now, terminal: true } as Page)).toBe(text);
});
