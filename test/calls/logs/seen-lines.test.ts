import { describe, expect, test } from 'vitest';
import { appLine } from '../../../src/calls/logs/log-line.ts';
import { type LogChannel, SeenLines } from '../../../src/calls/logs/seen-lines.ts';

const start = Date.UTC(2026, 10, 20, 14);
const line = (ms: number, fields: object = {}) =>
  appLine({ logLine: 'tick', timestamp: new Date(start + ms).toISOString(), containerName: 'web-1', ...fields });

const kinds: Record<string, object> = {
  tock: { logLine: 'tock' },
  elsewhere: { containerName: 'web-2' },
  idA: { logId: 'a' },
  idB: { logId: 'b' },
  long1: { logLine: `${'x'.repeat(60)}1` },
  long2: { logLine: `${'x'.repeat(60)}2` },
};

/** Whether each line is new. `h2:0:idA` came in the second page of the history, printed at 0 ms; `s1` is the first socket. */
function sightings(lines: string): string {
  const seen = new SeenLines();
  const isNew = (session: string, ms: string, kind = '') =>
    seen.isNew(line(Number(ms), kinds[kind]), session.startsWith('h') ? 'history' : 'socket', session);
  return lines.replace(/(\w+):(\d+):?(\w*) ?/g, (_, ...parts: [string, string, string]) =>
    isNew(...parts) ? '+' : '-',
  );
}

describe('a log line is shown', () => {
  test.each([
    ['once if the history returns it twice', 'h1:0 h2:0', '+-'],
    ['once if the history and the live log have it', 'h1:0 s1:0', '+-'],
    ['twice if it was printed twice at the same time', 'h1:0 h1:0', '++'],
    ['twice if the live log has one of two, and the history both', 's1:0 h1:0 h1:0', '+-+'],
    ['again if its time, its text or its container differs', 'h1:0 h2:1 h3:0:tock h4:0:elsewhere', '++++'],
    ['once for each id', 'h1:0:idA h1:0:idA h2:0:idB', '+-+'],
    ['again if only the end of a long text differs', 'h1:0:long1 h2:0:long2 h3:0:long2', '++-'],
  ])('%s', (_, lines, expected) => {
    expect(sightings(lines)).toBe(expected);
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
