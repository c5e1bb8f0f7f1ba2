import { appendFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OwnOutput } from '../../src/operations/dev/own-output.ts';
import type { FileEntry } from '../../src/project/files/entry.ts';
import { folderOf } from '../support/app.ts';

type Change = (file: string, round: number) => void;

const grow: Change = (file, round) => appendFileSync(file, `line ${round}\n`);
const rewrite: Change = (file, round) => writeFileSync(file, `other ${round} ${'x'.repeat(round)}\n`);
const replace: Change = (file, round) => {
  writeFileSync(`${file}.new`, `line\n${'line\n'.repeat(round)}`);
  renameSync(`${file}.new`, file);
};

/** The rounds in which the file was still a part of the app, of 5. Each change is noticed some ms after a line was printed. */
async function keptRounds(name: string, change: Change, afterMs: number, isRedirected = false): Promise<number> {
  await using folder = await folderOf({ [name]: 'line\n' });
  const file = join(folder.path, name);
  const entry = { path: name, source: { file } } as FileEntry;
  const clock = { now: 0 };
  const found: string[] = [];
  const files = isRedirected ? [statSync(file)] : [];
  const output = new OwnOutput({ files, printedAt: () => clock.now, onFound: (path) => found.push(path) });
  let kept = 0;
  for (let round = 1; round <= 5; round += 1) {
    kept += output.without([entry], clock.now + afterMs).length;
    clock.now += 1_000;
    change(file, round);
  }
  expect(found).toEqual(kept === 5 || isRedirected ? [] : [name]);
  return kept;
}

test.each<[string, string, Change, number, boolean, number]>([
  ['that a shell redirects it to', 'out.json', grow, 10, true, 0],
  ['that another program writes what it prints to', 'out.log', grow, 10, false, 3],
  ['that somebody adds to', 'notes.txt', grow, 2_000, false, 5],
  ['of Python that grows', 'main.py', grow, 10, false, 5],
  ['that changes in the middle', 'data.csv', rewrite, 10, false, 5],
  ['that an editor replaces', 'prompt.txt', replace, 10, false, 5],
])('a file %s', async (_, name, change, afterMs, isRedirected, rounds) => {
  expect(await keptRounds(name, change, afterMs, isRedirected)).toBe(rounds);
});
