import { describe, expect, test } from 'vitest';
import { dayFlag, durationFlag, positiveDurationFlag, sizeFlag, timeFlag } from '../../../src/cli/flags/values.ts';

const now = Date.UTC(2026, 10, 20, 12);

describe('a duration flag', () => {
  test.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['2w', 1_209_600_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
  ])('%s is %i ms', (text, ms) => expect(durationFlag(text)).toBe(ms));

  test.each(['', '5', 'm', '5 m', '5x', '-5m', '1h30', 'h1'])('rejects %j', (text) => {
    expect(() => durationFlag(text)).toThrow('Expected a duration such as 30s');
  });
});

test.each(['0s', '0m0s', '0.0ms'])('in %s nothing can happen', (text) => {
  expect(() => positiveDurationFlag(text)).toThrow('longer than 0');
  expect(positiveDurationFlag(`${text}1ms`)).toBe(1);
});

describe('a time flag', () => {
  test.each([
    ['2026-11-19T09:30:00Z', Date.UTC(2026, 10, 19, 9, 30)],
    ['2026-11-19T09:30:00+02:00', Date.UTC(2026, 10, 19, 7, 30)],
    ['2026-11-19', new Date(2026, 10, 19).getTime()],
    ['90m', now - 5_400_000],
    ['7d', now - 604_800_000],
    ['2w', now - 1_209_600_000],
    ['2026-11-19 09:30:00', new Date(2026, 10, 19, 9, 30).getTime()],
    ['2026-11-19 09:30:00Z', Date.UTC(2026, 10, 19, 9, 30)],
    ['0s', now],
    ['today', new Date(now).setHours(0, 0, 0, 0)],
    ['yesterday', new Date(now - 86_400_000).setHours(0, 0, 0, 0)],
  ])('%s is %i', (text, time) => expect(timeFlag(text)(now)).toBe(time));

  test.each([
    '',
    'tomorrow',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-11-19T25:00:00Z',
    '2026-11-19 25:00',
    '1h30',
    '1700000000',
  ])('rejects %j', (text) => {
    expect(() => timeFlag(text)).toThrow(/^Expected a (time|duration) such as/);
  });
});

describe('a day flag', () => {
  test.each(['2026-11-19', 'yesterday', 'today', '7d', '1w', '48h'])('takes %s', (text) =>
    expect(dayFlag(text)(now)).toBe(timeFlag(text)(now)),
  );

  test.each(['1h', '90m', '1d12h', '2026-11-19T09:30:00Z', '2026-11-19 09:30'])(
    'refuses the part of a day %s',
    (text) => expect(() => dayFlag(text)).toThrow('whole days only'),
  );
});

test.each(['99999999999d', `${'9'.repeat(400)}d`])('%s ago is no earlier than 1970', (text) => {
  expect(timeFlag(text)(Date.now())).toBe(0);
});

test.each<[string, number]>([
  ['1024', 1024],
  ['20MB', 20_000_000],
  ['16MiB', 16 * 2 ** 20],
  ['1.5 GiB', 1.5 * 2 ** 30],
  ['2k', 2000],
  ['3Kib', 3072],
])('the size %s is %i bytes', (text, bytes) => {
  expect(sizeFlag(0)(text)).toBe(bytes);
});

test.each(['', 'MB', '20 apples', '-1', '5ib', '1e3', '20MBs'])('%j is not a size', (text) => {
  expect(() => sizeFlag(0)(text)).toThrow('Expected a size such as 20MB or 16MiB.');
});

test('an out-of-range size shows the range', () => {
  expect(() => sizeFlag(5 * 2 ** 20, 2 ** 30)('1MB')).toThrow('Expected a size from 5MiB to 1024MiB.');
});
