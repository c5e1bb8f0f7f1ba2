import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventLog, type HistoryEvent } from '../../../src/deploys/history/event-log.ts';
import { filesIn, newFolder } from '../../support/files.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-11-01T12:00:00Z');

function served(build: string, at = now, padding = ''): HistoryEvent {
  const facts = { build, before: null, settings: { padding } };
  return { at: new Date(at).toISOString(), event: 'served', by: 'ada@laptop', ...facts };
}

function builds({ events }: { events: readonly HistoryEvent[] }): string[] {
  return events.map((event) => ('build' in event ? event.build : ''));
}

function newLog(): { log: EventLog; path: string; folder: string } {
  const folder = newFolder();
  const path = join(folder, 'history', 'web.jsonl');
  return { log: new EventLog(path), path, folder };
}

test('keeps events in a file that only its owner can read', async () => {
  const { log, path } = newLog();
  expect(await log.read(now)).toEqual({ events: [], unreadable: 0 });
  await log.append(served('b-1'));
  await log.append(served('b-2'));
  expect(builds(await log.read(now))).toEqual(['b-1', 'b-2']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a reader meets each event that another process has written, whatever that process does meanwhile', async () => {
  for (let trial = 0; trial < 100; trial += 1) {
    const { log, path } = newLog();
    // The file is created, or becomes the file before.
    if (trial % 2 === 1) await log.append(served('b-0', now - 60 * dayMs));
    const [early, , late] = await Promise.all([log.read(now), log.append(served('b-1')), new EventLog(path).read(now)]);
    for (const read of [early, late]) expect(builds(read).filter((build) => build === 'b-0')).toHaveLength(trial % 2);
  }
});

test.each([
  ['a second ago', now - 900, now],
  ['now', now + 1, now + 1],
  ['long before, by a wrong clock', now - dayMs, now - dayMs],
])('an event of %s after the last one', async (_, at, written) => {
  const { log } = newLog();
  expect(await log.timeOf(at)).toBe(at);
  await log.append(served('b-1'));
  expect(await log.timeOf(at)).toBe(written);
});

test('a line that a kill cut off spoils no other', async () => {
  const { log, path } = newLog();
  await log.append(served('b-1'));
  await log.append(served('b-2'));
  const { size } = statSync(path);
  truncateSync(path, size - 20);
  await log.append(served('b-3'));
  const read = await log.read(now);
  expect(builds(read)).toEqual(['b-1', 'b-3']);
  expect(read.unreadable).toBe(1);
});

test('a log that has read a file reads what it has now', async () => {
  const { log, path } = newLog();
  await log.append(served('b-1'));
  await log.append(served('b-2'));
  expect(builds(await log.read(now))).toEqual(['b-1', 'b-2']);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('b-1', 'b-X'));
  await new EventLog(path).append(served('b-3'));
  expect(builds(await log.read(now))).toEqual(['b-X', 'b-2', 'b-3']);
  rmSync(path);
  expect(builds(await log.read(now))).toEqual([]);
  await new EventLog(path).append(served('b-4'));
  expect(builds(await log.read(now))).toEqual(['b-4']);
});

test.each([
  ['no JSON', 'garbage', 1],
  ['an event of a later version', '{"at":"2026-11-01T11:00:00Z","event":"cloned","by":"ada@laptop"}', 1],
  ['an event without its facts', '{"at":"2026-11-01T11:00:00Z","event":"served","by":"ada@laptop"}', 1],
  ['a name that every object has', '{"at":"2026-11-01T11:00:00Z","event":"constructor","by":"ada@laptop"}', 1],
  ['an empty line', '', 0],
])('skips %s', async (_, line, unreadable) => {
  const { log, path } = newLog();
  await log.append(served('b-1'));
  appendFileSync(path, `\n${line}`);
  await log.append(served('b-2'));
  const read = await log.read(now);
  expect(builds(read)).toEqual(['b-1', 'b-2']);
  expect(read.unreadable).toBe(unreadable);
});

test('two processes append without losing a line', async () => {
  const { path, log } = newLog();
  const other = new EventLog(path);
  await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      (at % 2 === 0 ? log : other).append(served(`b-${String(at).padStart(2, '0')}`)),
    ),
  );
  const read = await log.read(now);
  expect(builds(read).sort()).toEqual(Array.from({ length: 50 }, (_, at) => `b-${String(at).padStart(2, '0')}`));
  expect(read.unreadable).toBe(0);
});

test('keeps 5 MB at most, the newest events, and loses none of them while it makes room', async () => {
  const { log, folder } = newLog();
  const padding = 'x'.repeat(500_000);
  for (let at = 0; at < 30; at++) await log.append(served(`b-${at}`, now + at, padding));
  const kept = builds(await log.read(now + 30));
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => `b-${30 - kept.length + at}`));
  expect(kept.length).toBeGreaterThan(4);
  const bytes = filesIn(folder).reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
  expect(bytes).toBeLessThan(6_500_000);
});

test('forgets what is older than 90 days', async () => {
  const { log, folder } = newLog();
  await log.append(served('b-old', now - 100 * dayMs));
  await log.append(served('b-new', now - 80 * dayMs));
  expect(builds(await log.read(now))).toEqual(['b-new']);
  await log.append(served('b-newer', now - 20 * dayMs));
  await log.append(served('b-newest', now + 40 * dayMs));
  const left = filesIn(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(left.join('')).not.toContain('b-old');
});
