import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { deployWeb, emulatorForAll, gantry, jsonLines, newFolder, record, recordMany } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });
let folder: string;
const now = Date.now();

beforeAll(async () => {
  folder = newFolder();
  await deployWeb(emulator);
  recordMany(emulator, { name: 'r', number: 30, from: now - 3 * 86_400_000, to: now - 3_600_000 });
  record(emulator, { id: 'odd', createdAt: now - 1_800_000, container: 'a,"b"', statusCode: 500 });
});

const run = (...words: string[]) => gantry(words, { emulator, cwd: folder, env: { GANTRY_CONFIG_DIR: folder } });

test('runs are exported as lines of JSON, oldest first', async () => {
  const { stdout, code } = await run('runs', 'export', 'web', '--since', '4d');
  const lines = jsonLines(stdout);
  expect([code, lines.length]).toEqual([0, 31]);
  expect(lines.map(({ createdAt }) => createdAt)).toEqual(lines.map(({ createdAt }) => createdAt).sort());
  expect(lines.at(-1)).toEqual({
    id: 'odd',
    createdAt: new Date(now - 1_800_000).toISOString(),
    functionName: null,
    status: 'failure',
    statusCode: 500,
    runtimeMs: 100,
    coldstartTimeMs: 0,
    totalQueueTimeMs: 0,
    totalResponseTimeMs: 100,
    podName: 'a,"b"',
    build: null,
    kind: 'call',
  });
});

test('or as CSV, and only those of the range', async () => {
  const { stdout } = await run('runs', 'export', 'web', '--since', '40m', '--format', 'csv');
  const [title, line] = stdout.split('\n');
  expect(title).toMatch(/^id,createdAt,functionName,status,statusCode,runtimeMs/);
  expect(line).toBe(`odd,${new Date(now - 1_800_000).toISOString()},,failure,500,100,0,0,100,"a,""b""",,call`);
});

test('on stdout are the runs themselves', async () => {
  const outcome = await run('runs', 'export', 'web', '--jq', '.');
  expect(outcome).toExit(2, '--json and --jq need -o FILE', 'the runs themselves, as lines');
});

test('a file is written as a whole, and replaces only another export', async () => {
  const file = join(folder, 'runs.jsonl');
  const { json } = await run('runs', 'export', 'web', '-o', 'runs.jsonl', '--json');
  const bytes = (await readFile(file)).length;
  expect(json()).toMatchObject({ app: 'web', file: 'runs.jsonl', runs: 11, bytes });
  expect((await run('runs', 'export', 'web', '-o', 'runs.jsonl')).stdout.trim()).toBe('runs.jsonl');
  await writeFile(file, 'my notes');
  expect((await run('runs', 'export', 'web', '-o', 'runs.jsonl')).code).toBe(7);
  expect(await readFile(file, 'utf8')).toBe('my notes');
  emulator.fail('getRunsChart', 403);
  expect((await run('runs', 'export', 'web', '-o', 'new.jsonl')).code).toBe(5);
  expect(existsSync(join(folder, 'new.jsonl'))).toBe(false);
});

test('what is kept for it is listed and removed with the cache', async () => {
  await run('runs', 'export', 'web');
  const list = async () => (await run('doctor', '--cache', 'runs', '--app', 'web', '--json')).json();
  expect(await list()).toMatchObject([
    { kind: 'runs', app: 'web', project: emulator.project, bytes: expect.any(Number) },
  ]);
  await run('doctor', '--cache', 'runs', '--clear');
  expect(await list()).toEqual([]);
});
