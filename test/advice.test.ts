import { beforeAll, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from './support/index.ts';

// What a result or an error says to type next is typed, where it says so. Each line of the tests is also parsed
// (support/advice.ts).

let cwd: string;
const type = (words: string[]) => gantry(words, { emulator, cwd });

const emulator = emulatorForAll({ real: false, seed: 1 });

beforeAll(async () => {
  cwd = newFolder({ ...smallApp(), 'a.txt': 'a' });
  await type(['cp', 'a.txt', ':/a.txt']);
});

/** A command line, its exit code, and what it says to type, in order; all of that exits with 0, or asks to confirm. */
const rows: [line: string, code: number, next: string[]][] = [
  ['apps get web', 0, []],
  ['deploy', 0, ['invoke web', 'logs web']],
  ['deploy --dry-run', 0, []],
  ['explain web BUILD', 0, []],
  ['apps get wob', 6, ['apps get web --json']],
  ['logs wob', 6, ['logs web --json']],
  ['builds get web nope', 6, ['builds list web --json']],
  ['runs get web nope', 6, ['runs list web --json']],
  ['deploy --files', 2, ['deploy --files --json --dry-run']],
  ['deploy --save-plan plan.json', 2, ['deploy --save-plan plan.json --json --dry-run']],
  ['apps lst', 2, ['apps list --json']],
  ['init .', 7, ['check -C CWD --json']],
  ['init --ci jenkins', 2, ['init --help']],
  ['secrets get A', 2, ['secrets list --show-values --json']],
  ['runs get web nope -p PROJECT', 6, ['runs list web -p PROJECT --json']],
  ['builds get web nope --project PROJECT -C CWD', 6, ['builds list web --project PROJECT -C CWD --json']],
  ['--project=PROJECT builds get web nope', 6, ['builds list web --project=PROJECT --json']],
  ['deploy --cwd CWD', 0, ['invoke web --cwd CWD', 'logs web --cwd CWD']],
  ['init . -C CWD', 7, ['check -C CWD --json']],
  // What is missing is a confirmation: the fix names it.
  ['rm :/a.txt', 9, []],
  ['rm /', 2, ['rm / --json -r']],
  ['rm -r /', 9, []],
  ['apps delete web', 9, []],
  ['apps delete web --dry-run', 0, ['apps delete web --json']],
  ['api DELETE /v2/projects/PROJECT/apps/PROJECT-web', 9, []],
];

test.each(rows)('%s exits with %i, and what it says next works', async (line, code, next) => {
  // The newest that succeeded: of one that failed, other commands tell more.
  const builds = emulator.store.getAppBuilds(`${emulator.project}-web`);
  const succeeded = builds.find(({ script }) => script.end?.status === 'success')?.id ?? '';
  const fill = (text: string) =>
    text.replace('BUILD', succeeded).replaceAll('CWD', cwd).replaceAll('PROJECT', emulator.project);
  const ended = await type([...fill(line).split(' '), '--json']);
  const { next: after, error } = ended.json() as { next?: { argv: string[] }[]; error?: { next?: string[] } };
  const advised = error ? (error.next ? [error.next] : []) : (after ?? []).map(({ argv }) => argv);
  expect([ended.code, advised.map(([, ...words]) => words.join(' '))]).toEqual([code, next.map(fill)]);
  const ends = line.startsWith('rm') || line.startsWith('apps delete') ? 9 : 0;
  for (const [, ...words] of advised) expect(await type(words), words.join(' ')).toMatchObject({ code: ends });
});
