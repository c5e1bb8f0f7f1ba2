import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal } from '../../src/transfer/journal.ts';
import { filesIn, newFolder } from '../support/files.ts';

const key = ['p-1', '/from', 'default:/to'];
const upload = { id: 'u', links: ['https://x/1', 'https://x/2'], linksEndAt: 5 };
const begun = { is: 'begun', file: 'a', mark: 'm', partBytes: 5, upload } as const;

function open(folder: string, more: { forget?: boolean; complaints?: unknown[] } = {}) {
  const { forget = false, complaints = [] } = more;
  return Journal.open(folder, key, { forget, complain: (cause) => complaints.push(cause) });
}

test('what was done is there again, in a file that nobody else reads', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  first.add({ is: 'part', file: 'a', part: { number: 1, etag: '"e"' } });
  first.add({ is: 'done', file: 'b', mark: 'n', at: 7 });
  await first.close(false);
  const [file = ''] = filesIn(folder);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, dirname(file))).mode & 0o777).toBe(0o700);

  const second = await open(folder);
  expect(second.saved.get('a')).toMatchObject({
    mark: 'm',
    upload,
    parts: [{ number: 1, etag: '"e"' }],
  });
  expect(second.saved.get('b')).toMatchObject({ mark: 'n', doneAt: 7 });
  await second.close(true);
  expect(filesIn(folder)).toEqual([]);
});

test('a beginning makes an earlier one void, and a line that was cut off counts for nothing', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  first.add({ is: 'part', file: 'a', part: { number: 1, etag: 'old' } });
  first.add({ ...begun, upload: { ...upload, id: 'v' } });
  await first.close(false);
  appendFileSync(join(folder, filesIn(folder)[0] ?? ''), '{"is":"part","file":"a","pa');
  const second = await open(folder);
  expect(second.saved.get('a')).toMatchObject({ upload: { id: 'v' }, parts: [] });
  second.add({ is: 'part', file: 'a', part: { number: 2, etag: 'new' } });
  await second.close(false);
  const third = await open(folder);
  expect(third.saved.get('a')?.parts).toEqual([{ number: 2, etag: 'new' }]);
  await third.close(true);
});

test('a few small files leave nothing on disk, unless they are cut off', async () => {
  const folder = newFolder();
  const journal = await open(folder);
  for (let file = 0; file < 20; file++) journal.add({ is: 'done', file: String(file), mark: '', at: 7 });
  expect(filesIn(folder)).toEqual([]);
  await journal.close(true);
  expect(filesIn(folder)).toEqual([]);

  const other = await open(folder);
  other.add({ is: 'done', file: 'a', mark: '', at: 7 });
  await other.close(false);
  const again = await open(folder);
  expect(again.saved.has('a')).toBe(true);
  await again.close(true);
});

test('another process at the same copy is a conflict; one that was killed is none', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.add(begun);
  await first.close(false);
  const [file = ''] = filesIn(folder);
  const held = (pid: number, host = hostname()) => {
    appendFileSync(join(folder, file), `${JSON.stringify({ is: 'opened', pid, host })}\n`);
    mkdirSync(join(folder, `${file}.lock`), { recursive: true });
  };
  held(process.pid);
  await expect(open(folder)).rejects.toThrow('another gantry is at the same copy');
  held(1, 'elsewhere');
  await expect(open(folder)).rejects.toThrow('another gantry is at the same copy');
  held(2 ** 22 + 1);
  const second = await open(folder);
  expect(second.saved.get('a')).toBeDefined();
  await second.close(true);
  expect(existsSync(join(folder, `${file}.lock`))).toBe(false);
});

test('what is to be forgotten is not there, and neither is it next time', async () => {
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

test('where nothing can be written it complains once, and goes on', async () => {
  const folder = newFolder({ file: '' });
  const complaints: unknown[] = [];
  const journal = await open(join(folder, 'file'), { complaints });
  for (let time = 0; time < 3; time++) {
    journal.add(begun);
    await new Promise((done) => setImmediate(done));
  }
  await journal.close(false);
  expect(complaints).toHaveLength(1);
});

test('each copy has its own', async () => {
  const folder = newFolder();
  const one = await open(folder);
  const other = await Journal.open(folder, [...key, 'x'], { forget: false, complain: () => {} });
  one.add(begun);
  other.add(begun);
  await Promise.all([one.close(false), other.close(false)]);
  expect(filesIn(folder)).toHaveLength(2);
  expect(filesIn(folder).map((file) => readFileSync(join(folder, file), 'utf8').includes('"is":"begun"'))).toEqual([
    ...[true, true],
  ]);
});

test('what is older than a month is removed', async () => {
  const folder = newFolder({ 'transfers/old.jsonl': '{}', 'transfers/new.jsonl': '{}' });
  utimesSync(join(folder, 'transfers/old.jsonl'), 1, 1);
  const journal = await open(folder);
  journal.add(begun);
  await journal.close(true);
  expect(filesIn(folder)).toEqual(['transfers/new.jsonl']);
});
