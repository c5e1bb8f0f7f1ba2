import { appendFileSync, existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { stateKey } from '../../../src/platform/config/state-key.ts';
import { Journal, type JournalProblem } from '../../../src/storage/transfer/journal.ts';
import { filesIn, newFolder } from '../../support/files.ts';

const key = stateKey('https://platform.test', 'p-1', '/from', 'default:/to');
const attempt = { id: 'u', urls: ['https://x/1', 'https://x/2'], urlsExpireAt: 5 };
const begun = { is: 'begun', file: 'a', mark: 'm', partBytes: 5, attempt } as const;

function open(folder: string, more: { forget?: boolean; warnings?: JournalProblem[] } = {}) {
  const { forget = false, warnings = [] } = more;
  return Journal.open(folder, key, { ignoreSaved: forget, warn: (problem) => warnings.push(problem) });
}

/** The only file in the folder of journals; a lock is a folder beside it. */
function journalIn(folder: string): string {
  return join(folder, filesIn(folder).find((file) => file.endsWith('.jsonl')) ?? '');
}

test('restores finished parts, from a private file', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  first.add({ is: 'part', file: 'a', part: { number: 1, etag: '"e"' } });
  first.add({ is: 'done', file: 'b', mark: 'n', times: { since: 6, at: 7 } });
  await first.close(false);
  const [file = ''] = filesIn(folder);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, dirname(file))).mode & 0o777).toBe(0o700);

  const second = await open(folder);
  expect(second.saved.get('a')).toMatchObject({
    mark: 'm',
    attempt,
    parts: [{ number: 1, etag: '"e"' }],
  });
  expect(second.saved.get('b')).toMatchObject({ mark: 'n', times: { since: 6, at: 7 } });
  await second.close(true);
  expect(filesIn(folder)).toEqual([]);
});

test('a new start replaces an earlier one, and a truncated line is ignored', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  first.add({ is: 'part', file: 'a', part: { number: 1, etag: 'old' } });
  first.add({ ...begun, attempt: { ...attempt, id: 'v' } });
  await first.close(false);
  appendFileSync(join(folder, filesIn(folder)[0] ?? ''), '{"is":"part","file":"a","pa');
  const second = await open(folder);
  expect(second.saved.get('a')).toMatchObject({ attempt: { id: 'v' }, parts: [] });
  second.add({ is: 'part', file: 'a', part: { number: 2, etag: 'new' } });
  await second.close(false);
  const third = await open(folder);
  expect(third.saved.get('a')?.parts).toEqual([{ number: 2, etag: 'new' }]);
  await third.close(true);
});

test('a few small files leave no journal unless they are interrupted', async () => {
  const folder = newFolder();
  const journal = await open(folder);
  for (let file = 0; file < 20; file++)
    journal.add({ is: 'done', file: String(file), mark: '', times: { since: 6, at: 7 } });
  expect(journalIn(folder)).toBe(folder);
  await journal.close(true);
  expect(filesIn(folder)).toEqual([]);

  const other = await open(folder);
  other.add({ is: 'done', file: 'a', mark: '', times: { since: 6, at: 7 } });
  await other.close(false);
  const again = await open(folder);
  expect(again.saved.has('a')).toBe(true);
  await again.close(true);
});

test('a second process of the same copy is refused while the first one runs', async () => {
  const folder = newFolder();
  const first = await open(folder);
  await expect(open(folder)).rejects.toThrow('another gantry process runs the same copy');
  first.add(begun);
  await expect(open(folder)).rejects.toThrow('another gantry process runs the same copy');
  await first.close(false);
  const second = await open(folder);
  expect(second.saved.get('a')).toBeDefined();
  await second.close(true);
  expect(filesIn(folder)).toEqual([]);
});

test.each<[what: string, line: object | string]>([
  ['a part of no upload', { is: 'part', file: 'other', part: { number: 1, etag: 'e' } }],
  ['a part that is null', { is: 'part', file: 'a', part: null }],
  ['a part with an empty ETag', { is: 'part', file: 'a', part: { number: 1, etag: '' } }],
  ['a part of number 0', { is: 'part', file: 'a', part: { number: 0, etag: 'e' } }],
  ['a part of number 1.5', { is: 'part', file: 'a', part: { number: 1.5, etag: 'e' } }],
  ['a file without the time when it was done', { is: 'done', file: 'a', mark: 'm' }],
  ['a temporary file elsewhere', { ...begun, attempt: { version: 'e', temporary: '../../.bashrc' } }],
  ['negative part sizes', { ...begun, partBytes: -1 }],
  ['URLs that are not text', { ...begun, attempt: { ...attempt, urls: [null] } }],
  ['an unknown line', { is: 'finished', file: 'a' }],
  ['a number', '7'],
  ['null', 'null'],
])('%s makes a journal count as damaged: the copy starts over, with a warning', async (_, line) => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  await first.close(false);
  const path = journalIn(folder);
  appendFileSync(path, `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  const warnings: JournalProblem[] = [];
  const second = await open(folder, { warnings });
  expect(second.saved.size).toBe(0);
  expect(warnings).toEqual([{ is: 'damaged', path }]);
  second.add({ ...begun, file: 'c' });
  await second.close(false);
  const third = await open(folder);
  expect([...third.saved.keys()]).toEqual(['c']);
  await third.close(true);
});

test('forgets an entry, also for the next process', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  await first.close(false);
  const second = await open(folder, { forget: true });
  expect(second.saved.size).toBe(0);
  await second.close(false);
  const third = await open(folder);
  expect(third.saved.size).toBe(0);
  await third.close(true);
});

test('warns once and continues if it cannot be written', async () => {
  const folder = newFolder({ file: '' });
  const warnings: JournalProblem[] = [];
  const journal = await open(join(folder, 'file'), { warnings });
  for (let time = 0; time < 3; time++) {
    journal.add(begun);
    await new Promise((done) => setImmediate(done));
  }
  await journal.close(false);
  expect(warnings).toMatchObject([{ is: 'unwritable' }]);
});

test('each copy has its own journal', async () => {
  const folder = newFolder();
  const one = await open(folder);
  const other = await Journal.open(folder, stateKey('https://other.test', 'p-1', '/from', 'default:/to'), {
    ignoreSaved: false,
    warn: () => {},
  });
  one.add(begun);
  other.add(begun);
  await Promise.all([one.close(false), other.close(false)]);
  expect(filesIn(folder)).toHaveLength(2);
  expect(filesIn(folder).map((file) => readFileSync(join(folder, file), 'utf8').includes('"is":"begun"'))).toEqual([
    ...[true, true],
  ]);
});

test.each([
  [29.9, true],
  [30.1, false],
])('the journal of another copy that was last written %d days ago is kept: %j', async (days, isKept) => {
  const folder = newFolder();
  const old = await open(folder);
  old.add(begun);
  await old.close(false);
  const path = journalIn(folder);
  const writtenAt = (Date.now() - days * 86_400_000) / 1000;
  utimesSync(path, writtenAt, writtenAt);
  const other = await Journal.open(folder, stateKey('https://platform.test', 'another copy'), {
    ignoreSaved: false,
    warn: () => {},
  });
  expect(existsSync(path)).toBe(isKept);
  await other.close(true);
});
