import { describe, expect, test } from 'vitest';
import { appFrameLine, appLine, buildLine, compareLines, splitLogText } from '../../../src/calls/logs/log-line.ts';

const timestamp = '2026-11-20T14:00:05.123Z';

test.each([
  ['one line', 'a', ['a']],
  ['a line end at its end', 'a\n', ['a']],
  ['two line ends at its end', 'a\n\n', ['a', '']],
  ['several lines', 'a\nb\n', ['a', 'b']],
  ['line ends of Windows', 'a\r\nb\r\n', ['a', 'b']],
  ['a progress bar', '10%\r50%\r100%', ['100%']],
  ['a progress bar that was wiped', '10%\r50%\r   ', ['50%']],
  ['a progress bar between lines', 'a\n1%\r2%\nb', ['a', '2%', 'b']],
  ['nothing', '', ['']],
  ['an empty line between two', 'a\n\nb', ['a', '', 'b']],
])('the text of a log entry with %s is split into lines', (_, text, lines) => {
  expect(splitLogText(text)).toEqual(lines);
});

describe('a log line', () => {
  test.each<[time: string, at: number, nanoseconds: number | undefined]>([
    [timestamp, Date.parse(timestamp), undefined],
    ['2026-11-20T14:00:05Z', Date.parse('2026-11-20T14:00:05Z'), undefined],
    ['2026-11-20T14:00:05.123456789Z', Date.parse(timestamp), 456_789],
    ['2026-11-20T14:00:05.1234Z', Date.parse(timestamp), 400_000],
    ['2026-11-20T14:00:05.1230000001Z', Date.parse(timestamp), 0],
    ['yesterday', 0, undefined],
    ['', 0, undefined],
  ])('of %j keeps the time in ms and the rest in ns', (time, at, nanoseconds) => {
    expect(appLine({ logLine: 'x', timestamp: time })).toMatchObject({ at, nanoseconds });
  });

  test('knows its container by name, or else by id', () => {
    const container = (fields: object) => appLine({ logLine: 'x', timestamp, ...fields }).container;
    expect(container({ containerName: 'web-1', containerId: 'c1' })).toBe('web-1');
    expect(container({ containerName: '', containerId: 'c1' })).toBe('c1');
    expect(container({})).toBe('');
  });

  test('of the live log has the field names of the history in JSON', () => {
    const frame = { log: 'x', timestamp, app_id: 'a', run_id: 'r', container_name: 'web-1', stream: 'stderr' };
    const more = { container_id: 'c1', log_id: 'l1' };
    const line = appFrameLine({ ...frame, ...more } as never);
    expect(line.original).toEqual({
      logLine: 'x',
      timestamp,
      appId: 'a',
      runId: 'r',
      containerId: 'c1',
      containerName: 'web-1',
      logId: 'l1',
      stream: 'stderr',
    });
    expect(line).toMatchObject({ container: 'web-1', stream: 'stderr', id: 'l1' });
  });

  test('of a build without a time is known by its position', () => {
    expect(buildLine({ log: 'x' } as never, 4)).toMatchObject({ container: 'line 4', at: 0, number: 4 });
    expect(buildLine({ log: 'x', createdAt: timestamp } as never, 4)).toMatchObject({ container: '', number: 4 });
  });
});

test.each([
  ['time', { timestamp: '2026-11-20T14:00:05.122Z', containerName: 'z' }, { timestamp, containerName: 'a' }],
  [
    'nanoseconds',
    { timestamp: '2026-11-20T14:00:05.123001Z', containerName: 'z' },
    { timestamp: '2026-11-20T14:00:05.123002Z', containerName: 'a' },
  ],
  ['container', { timestamp, containerName: 'a', lineNumber: 9 }, { timestamp, containerName: 'b', lineNumber: 1 }],
  ['number', { timestamp, containerName: 'a', lineNumber: 9 }, { timestamp, containerName: 'a', lineNumber: 10 }],
])('lines are sorted by %s', (_, first, second) => {
  const [one, other] = [first, second].map((fields) => appLine({ logLine: 'x', ...fields })) as [never, never];
  expect(compareLines(one, other)).toBeLessThan(0);
  expect(compareLines(other, one)).toBeGreaterThan(0);
  expect(compareLines(one, one)).toBe(0);
});
