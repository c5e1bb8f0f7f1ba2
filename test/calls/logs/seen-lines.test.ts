import { describe, expect, test } from 'vitest';
import { appLine } from '../../../src/calls/logs/log-line.ts';
import { type LogChannel, SeenLines } from '../../../src/calls/logs/seen-lines.ts';

const start = Date.UTC(2026, 10, 20, 14);
const line = (ms: number, fields: object = {}) =>
  appLine({ logLine: 'tick', timestamp: new Date(start + ms).toISOString(), containerName: 'web-1', ...fields });

/** Whether each line is new: `[ms, fields, channel, session]`. */
function sightings(list: [ms: number, fields: object, channel: LogChannel, session: string][]): boolean[] {
  const seen = new SeenLines();
  return list.map(([ms, fields, channel, session]) => seen.isNew(line(ms, fields), channel, session));
}

describe('a log line is shown', () => {
  test.each<[what: string, list: Parameters<typeof sightings>[0], expected: boolean[]]>([
    [
      'once if the history returns it twice',
      [
        [0, {}, 'history', 'page 1'],
        [0, {}, 'history', 'page 2'],
      ],
      [true, false],
    ],
    [
      'once if the history and the live log have it',
      [
        [0, {}, 'history', 'page 1'],
        [0, {}, 'socket', 'socket 1'],
      ],
      [true, false],
    ],
    [
      'twice if it was printed twice at the same time',
      [
        [0, {}, 'history', 'page 1'],
        [0, {}, 'history', 'page 1'],
      ],
      [true, true],
    ],
    [
      'twice if the live log has one of two, and the history both',
      [
        [0, {}, 'socket', 'socket 1'],
        [0, {}, 'history', 'page 1'],
        [0, {}, 'history', 'page 1'],
      ],
      [true, false, true],
    ],
    [
      'again if its time, its text or its container differs',
      [
        [0, {}, 'history', 'page 1'],
        [1, {}, 'history', 'page 2'],
        [0, { logLine: 'tock' }, 'history', 'page 3'],
        [0, { containerName: 'web-2' }, 'history', 'page 4'],
      ],
      [true, true, true, true],
    ],
    [
      'once for each id',
      [
        [0, { logId: 'a' }, 'history', 'page 1'],
        [0, { logId: 'a' }, 'history', 'page 1'],
        [0, { logId: 'b' }, 'history', 'page 2'],
      ],
      [true, false, true],
    ],
    [
      'again if only the end of a long text differs',
      [
        [0, { logLine: `${'x'.repeat(60)}1` }, 'history', 'page 1'],
        [0, { logLine: `${'x'.repeat(60)}2` }, 'history', 'page 2'],
        [0, { logLine: `${'x'.repeat(60)}2` }, 'history', 'page 3'],
      ],
      [true, true, false],
    ],
  ])('%s', (_, list, expected) => {
    expect(sightings(list)).toEqual(expected);
  });

  test('once for each nanosecond, without an id', () => {
    const seen = new SeenLines();
    const at = (fraction: string) => appLine({ logLine: 'tick', timestamp: `2026-11-20T14:00:05.${fraction}Z` });
    expect(seen.isNew(at('123456'), 'history', 1)).toBe(true);
    expect(seen.isNew(at('123457'), 'history', 1)).toBe(true);
    expect(seen.isNew(at('123457'), 'history', 1)).toBe(false);
  });
});

describe('after an interruption the log is read', () => {
  test('from its start if no line was seen', () => {
    expect(new SeenLines().resumeAt).toBeUndefined();
  });

  test('from five seconds before the latest line, in whatever order they came', () => {
    const seen = new SeenLines();
    for (const ms of [10_000, 60_000, 20_000]) seen.isNew(line(ms), 'history', 'page');
    expect(seen.resumeAt).toBe(start + 55_000);
    expect(seen.last?.at).toBe(start + 60_000);
  });

  test('from where lines are remembered: what was forgotten would be shown twice', () => {
    const seen = new SeenLines();
    for (let ms = 0; ms < 20_001; ms++) seen.isNew(line(ms / 10, { logLine: `line ${ms}` }), 'history', 'page');
    expect(seen.rememberedFrom(0)).toBeUndefined();
    for (let ms = 20_001; ms < 30_002; ms++) seen.isNew(line(ms / 10, { logLine: `line ${ms}` }), 'history', 'page');
    expect(seen.rememberedFrom(0)).toBe(start + 1_001);
    expect(seen.rememberedFrom(start + 2_000)).toBe(start + 2_000);
    expect(seen.isNew(line(2_000, { logLine: 'line 20000' }), 'history', 'other')).toBe(false);
  });
});

describe('of more lines than are remembered', () => {
  const many = Array.from({ length: 30_000 }, (_, number) => line(Math.floor(number / 700), { logLine: `${number}` }));
  const newOf = (seen: SeenLines, lines: typeof many, channel: LogChannel) =>
    lines.filter((each) => seen.isNew(each, channel, channel)).length;

  test('the live log repeats none that the history has told, and shows those after it, and late ones', () => {
    const seen = new SeenLines();
    expect(newOf(seen, many.slice(0, 25_000), 'history')).toBe(25_000);
    expect(newOf(seen, many, 'socket')).toBe(5_000);
    expect(newOf(seen, [line(1, { containerName: 'late' })], 'socket')).toBe(1);
  });

  test('each is shown though all have one time', () => {
    const seen = new SeenLines();
    const atOnce = many.map((_, number) => line(0, { logLine: `${number}` }));
    expect(newOf(seen, atOnce.slice(0, 25_000), 'history')).toBe(25_000);
    expect(newOf(seen, atOnce, 'socket')).toBe(5_000);
    expect(newOf(new SeenLines(), atOnce, 'socket')).toBe(30_000);
  });
});
