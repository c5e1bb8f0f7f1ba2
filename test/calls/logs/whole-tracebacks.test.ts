import { expect, test } from 'vitest';
import { keepFound } from '../../../src/calls/logs/keep-found.ts';
import { appLine, type LogLine } from '../../../src/calls/logs/log-line.ts';
import type { LogSource } from '../../../src/calls/logs/log-source.ts';
import { withWholeTracebacks } from '../../../src/calls/logs/whole-tracebacks.ts';

const texts = [
  'start',
  'Traceback (most recent call last):',
  '  File "a.py", line 1',
  '    f()',
  '    f()',
  'E.Error: x',
];
const at = Date.UTC(2026, 10, 20, 12);

/** Without ids and numbers, at one time: nothing tells equal lines from each other. */
const lines = texts.map((logLine) => appLine({ logLine, timestamp: new Date(at).toISOString() }));

const sourceOf = (all: readonly LogLine[], asked: object[] = []): LogSource => ({
  isFiltered: true,
  pollMs: [1, 1],
  parseFrame: () => undefined,
  readPage: async (query) => {
    asked.push(query);
    return { lines: [...all] };
  },
});

test('equal lines of a traceback all stay, and a hit is in it once', async () => {
  const hits = lines.filter(({ text }) => text.includes('f()'));
  const source = withWholeTracebacks(sourceOf(hits), () => sourceOf(lines));
  const page = await source.readPage({ direction: 'forward', size: 10 });
  expect(page.lines.map(({ text }) => text).sort()).toEqual(texts.slice(1).sort());
});

test('hits that are no part of one are as they were found, without another request', async () => {
  const asked: object[] = [];
  const hits = lines.slice(0, 1);
  const page = await withWholeTracebacks(sourceOf(hits), () => sourceOf(lines, asked)).readPage({
    direction: 'backward',
    size: 10,
  });
  expect([page.lines, asked]).toEqual([hits, []]);
});

test('hits in many places cost a bounded number of requests', async () => {
  const asked: object[] = [];
  const hits = Array.from({ length: 100 }, (_, day) =>
    appLine({ logLine: 'KeyError: 1', timestamp: new Date(at + day * 86_400_000).toISOString() }),
  );
  await withWholeTracebacks(sourceOf(hits), () => sourceOf([], asked)).readPage({ direction: 'forward', size: 100 });
  expect(asked.length).toBe(20);
});

test('of a log that is read as a whole, those of a found line are kept', async () => {
  const found = await keepFound(lines, ({ text }) => text.startsWith('E.Error'));
  expect(found).toEqual(lines.slice(1));
});
