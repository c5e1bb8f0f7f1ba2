import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { followLog } from '../../../src/calls/logs/follow-log.ts';
import { PollIntervals } from '../../../src/calls/logs/live-log.ts';
import { appFrameLine, appLine } from '../../../src/calls/logs/log-line.ts';
import { SeenLines } from '../../../src/calls/logs/seen-lines.ts';
import { WorkLog } from '../../../src/calls/logs/work-log.ts';
import { RateLimitedError, UnavailableError } from '../../../src/kernel/errors.ts';
import { KnownSecrets } from '../../../src/kernel/output/known-secrets.ts';

function polls() {
  const notes: string[] = [];
  const intervals = new PollIntervals({ note: (text: string) => void notes.push(text) } as never, [1_000, 3_000]);
  return { intervals, notes };
}

const unavailable = new UnavailableError('cannot connect');

describe('a log that is polled', () => {
  test('is polled less often while it has no lines, up to a limit', () => {
    const { intervals } = polls();
    const pauses = [1, 2, 3, 4, 5, 6].map(() => {
      intervals.succeeded(false);
      return intervals.ms;
    });
    expect(pauses.slice(0, 2)).toEqual([1_250, 1_562.5]);
    expect(pauses.at(-1)).toBe(3_000);
    intervals.succeeded(true);
    expect(intervals.ms).toBe(1_000);
  });

  test('waits twice as long after each failure, half of it by chance, and never over 30 s', () => {
    const { intervals } = polls();
    for (const mostMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      expect(intervals.failed(unavailable)).toBe(true);
      expect(intervals.ms).toBeGreaterThanOrEqual(mostMs / 2);
      expect(intervals.ms).toBeLessThanOrEqual(mostMs);
    }
  });

  test('waits as long as the platform asks', () => {
    const { intervals } = polls();
    intervals.failed(new RateLimitedError('slow down', { retryable: true, retryAfterMs: 90_000 }));
    expect(intervals.ms).toBe(90_000);
  });

  test('returns to its interval after a failure', () => {
    const { intervals } = polls();
    for (let time = 0; time < 5; time++) intervals.failed(unavailable);
    intervals.succeeded(true);
    expect(intervals.ms).toBe(1_000);
    intervals.failed(unavailable);
    expect(intervals.ms).toBeLessThanOrEqual(1_000);
  });

  test('ends at a mistake of our own', () => {
    expect(polls().intervals.failed(new TypeError('undefined'))).toBe(false);
  });
});

test('what is silent after the end of the work is waited for by the clock of the command', async () => {
  let now = 0;
  const next = () => new Promise<'quiet'>((done) => Object.assign(socket, { wake: () => done('quiet') }));
  const socket = { next, wake: () => {}, close: () => {}, closeReason: '', isComplete: false };
  const source = { openLive: async () => socket, readPage: async () => ({ lines: [] }), parseFrame: () => [] };
  const elapsed = () => now;
  const context = {
    elapsed,
    now: elapsed,
    platformNow: elapsed,
    silenceMs: 60_000,
    signal: new AbortController().signal,
    delay: (ms: number) => {
      now += ms;
      return setImmediate();
    },
  };
  const options = {
    source: { ...source, pollMs: [1_000, 1_000] },
    seen: new SeenLines(),
    onGap: () => {},
    until: Number.POSITIVE_INFINITY,
    ended: AbortSignal.abort({ at: 0, limitMs: 10_000 }),
  };
  for await (const lines of followLog(context as never, options as never)) expect(lines).toEqual([]);
  expect(now).toBeGreaterThanOrEqual(10_000);
});

test.each([
  ['when the history says its stream', 'stderr', 1_500],
  ['as stdout, if the history never has it', undefined, 3_500],
])('a line of the live log that nothing follows is passed on %s', async (_, stream, mostMs) => {
  let now = 0;
  const timestamp = '2026-11-29T10:00:00.000Z';
  const frames = ['first'];
  const socket = {
    async next(waitMs: number) {
      if (frames.length > 0) return frames.splice(0);
      now += waitMs;
      await setImmediate();
      return 'quiet';
    },
    wake: () => {},
    close: () => {},
    closeReason: '',
    isComplete: false,
  };
  const known = { logLine: 'first', timestamp, ...(stream && { stream }) };
  const source = {
    openLive: async () => socket,
    readPage: async () => ({ lines: now > 0 && stream ? [appLine(known as never)] : [] }),
    parseFrame: (log: string) => [appFrameLine({ log, timestamp } as never)],
    pollMs: [1_000, 1_000],
  };
  const elapsed = () => now;
  const { signal } = new AbortController();
  const context = {
    elapsed,
    now: elapsed,
    platformNow: elapsed,
    silenceMs: 60_000,
    signal,
    progress: {},
    secrets: new KnownSecrets(),
    apiWithSignal: () => undefined,
    delay: () => setImmediate(),
  };
  const passed = await new Promise<object>((done) => {
    const onLine = (line: { stream: string }) => {
      done({ stream: line.stream, at: now });
      void log.abort();
    };
    const deadline = { signal, remainingMs: Number.POSITIVE_INFINITY };
    const options = { source: () => source, name: 'log', needsStream: true, onLine, deadline };
    const log = new WorkLog(context as never, options as never);
    log.follow();
  });
  expect(passed).toMatchObject({ stream: stream ?? 'stdout' });
  expect(now).toBeLessThanOrEqual(mostMs);
});
