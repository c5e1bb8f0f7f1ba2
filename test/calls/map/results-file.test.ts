import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MapLog } from '../../../src/calls/map/map-log.ts';
import { ResultsFile, resultLine } from '../../../src/calls/map/results-file.ts';
import { newFolder } from '../../support/files.ts';

const heading = { input: { bytes: 9, sha256: 'ab', inputs: 4 }, target: 'web/run', key: 'k' };
const optionsOf = async (path: string, others = {}) => {
  if (!existsSync(`${path}.gantry-map`))
    writeFileSync(`${path}.gantry-map`, `${JSON.stringify({ gantryMap: 1, ...heading })}\n`);
  const log = await MapLog.open({ name: 'out.jsonl', path }, heading);
  return { name: 'out.jsonl', path, log, count: 4, retryFailed: false, onFailed: () => {}, ...others };
};
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
    const results = await ResultsFile.open(await optionsOf(path));
    expect([0, 1, 2, 3].filter((index) => results.isDone(index))).toEqual(known.slice(0, complete).sort());
    await results.add(1, failed);
    await results.close();
    expect(readFileSync(path, 'utf8'), `cut at ${bytes}`).toBe(
      [...lines.slice(0, complete), lines[1]?.replace('0', '1')].join(''),
    );
  }
});

test('sorting reads lines wherever they are', async () => {
  const path = join(newFolder(), 'out.jsonl');
  const count = 100;
  // Farther apart than what is read at a time.
  const lineOf = (index: number) =>
    resultLine(index, { status: 'succeeded', result: 'x'.repeat((index * 7919) % 150_000), run: null, ms: index });
  const all = Array.from({ length: count }, (_, index) => index);
  writeFileSync(path, all.map((index) => lineOf((index * 41) % count)).join(''));
  const results = await ResultsFile.open(await optionsOf(path, { count }));
  await results.close();
  await results.sort();
  expect(readFileSync(path, 'utf8') === all.map(lineOf).join('')).toBe(true);
});

test('a command that calls failures again may be killed anywhere: an input has one result', async () => {
  const path = join(newFolder(), 'out.jsonl');
  const heads = [
    { gantryMap: 1, ...heading },
    { inFlight: 3 },
    ...[1, 2, 3].map((index) => ({ index, started: `r-${index}` })),
  ];
  const first = [resultLine(0, failed), resultLine(1, { ...failed, run: 'r-1' }), resultLine(2, failed)];
  const lines = [
    ...first,
    resultLine(2, { status: 'succeeded', result: 'é', run: 'r-2', ms: 1 }),
    resultLine(0, { status: 'succeeded', result: 'new', run: null, ms: 1 }),
  ];
  const whole = Buffer.from(lines.join(''));
  for (let bytes = Buffer.byteLength(first.join('')); bytes <= whole.length; bytes++) {
    writeFileSync(path, whole.subarray(0, bytes));
    writeFileSync(`${path}.gantry-map`, heads.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const complete = lines.filter((_, at) => Buffer.byteLength(lines.slice(0, at + 1).join('')) <= bytes + 1).length;
    const options = await optionsOf(path, { retryFailed: true });
    const results = await ResultsFile.open(options);
    const { log } = options;
    // The run of the failure, and that of a result, have ended.
    const runs = [1, 2, 3].map((index) => log.runOf(index) ?? '');
    expect(runs, `cut at ${bytes}`).toEqual(['', complete > 3 ? '' : 'r-2', 'r-3']);
    expect([log.inFlight, results.size, results.left]).toEqual([3, 3, 6 - complete]);
    // What a command does then is the same for most of the cuts.
    if (bytes % 12 > 0) {
      await results.close();
      continue;
    }
    await log.begin(2);
    for (const index of [0, 1, 2, 3].filter((index) => !results.isDone(index)))
      await results.add(index, { status: 'succeeded', result: 'last', run: null, ms: 1 });
    await results.close();
    await log.close(0);
    const left = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(left.map((line) => JSON.parse(line).index).sort()).toEqual([0, 1, 2, 3]);
    expect(left.some((line) => line.includes('failed'))).toBe(false);
    const { running, inFlight } = await MapLog.open({ name: 'out.jsonl', path }, heading);
    expect({ running, inFlight }).toEqual({ running: 0, inFlight: 0 });
  }
});
