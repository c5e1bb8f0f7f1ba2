import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resultLine } from '../../../src/calls/map/result-line.ts';
import { ResultsFile } from '../../../src/calls/map/results-file.ts';
import { newFolder } from '../../support/files.ts';

const options = (path: string) => ({ name: 'out.jsonl', path, count: 4, retryFailed: false, onFailed: () => {} });
const failed = { status: 'failed' as const, error: { code: 'app-error', message: 'é "x"\n' }, run: null, ms: 2 };

test('a file that was cut off anywhere keeps its complete lines, and the next one follows them', async () => {
  const path = join(newFolder(), 'out.jsonl');
  const lines = [
    resultLine(2, { status: 'succeeded', result: { text: 'ä\n\u2028"}' }, run: 'r-1', ms: 1 }),
    resultLine(0, failed),
    resultLine(3, { status: 'succeeded', result: null, run: null, ms: 0 }),
  ];
  const whole = Buffer.from(lines.join(''));
  const known = [2, 0, 3];
  for (let bytes = 0; bytes <= whole.length; bytes++) {
    writeFileSync(path, whole.subarray(0, bytes));
    // A line is complete without its line break, too.
    const complete = lines.filter((_, at) => Buffer.byteLength(lines.slice(0, at + 1).join('')) <= bytes + 1).length;
    const results = await ResultsFile.open(options(path));
    expect([0, 1, 2, 3].filter((index) => results.done.has(index))).toEqual(known.slice(0, complete).sort());
    await results.add(1, failed);
    await results.close();
    expect(readFileSync(path, 'utf8'), `cut at ${bytes}`).toBe(
      [...lines.slice(0, complete), lines[1]?.replace('0', '1')].join(''),
    );
  }
});

test.each([
  ['text', 'hello\n', 'line 1 is none'],
  ['another number of inputs', resultLine(4, failed), 'line 1 is none'],
  ['an input twice', resultLine(1, failed).repeat(2), 'input 1 has a second one in line 2'],
])('a file with %s is refused and stays as it is', async (_, text, why) => {
  const path = join(newFolder({ 'out.jsonl': text }), 'out.jsonl');
  await expect(ResultsFile.open(options(path))).rejects.toMatchObject({ exit: 'conflict', facts: { why } });
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('sorting reads lines wherever they are', async () => {
  const path = join(newFolder(), 'out.jsonl');
  const count = 100;
  // Farther apart than what is read at a time.
  const lineOf = (index: number) =>
    resultLine(index, { status: 'succeeded', result: 'x'.repeat((index * 7919) % 150_000), run: null, ms: index });
  const all = Array.from({ length: count }, (_, index) => index);
  writeFileSync(path, all.map((index) => lineOf((index * 41) % count)).join(''));
  const results = await ResultsFile.open({ ...options(path), count });
  await results.close();
  await results.sort();
  expect(readFileSync(path, 'utf8') === all.map(lineOf).join('')).toBe(true);
});
