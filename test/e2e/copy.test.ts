import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach, filesIn, newFolder, noise } from '../support/index.ts';
import { cleanEnvironment, run, start } from './binary.ts';

let home: string;
let here: string;

const mib = 2 ** 20;
const content = noise(25 * mib);
const slowly = ['--part-size', '5MiB', '--concurrency', '2', '--limit-rate', '30MB'];

const emulator = emulatorForEach();

beforeEach(async () => {
  home = newFolder();
  here = newFolder();
});

const env = () => cleanEnvironment(emulator, { GANTRY_CONFIG_DIR: home });
const answered = (endpoint: string) =>
  emulator.calls.filter((call) => call.endpoint === endpoint && (call.status ?? 0) >= 200 && (call.status ?? 0) < 300);

/** Starts a copy and kills it when so many requests of this kind were answered. */
async function kill(words: string[], endpoint: string, after: number) {
  const child = start(words, { cwd: here, env: env() });
  while (answered(endpoint).length < after) await setTimeout(5);
  child.kill('SIGKILL');
  await child.ended;
}

describe('a copy that is killed', () => {
  test('to a volume resumes: only requests in flight are repeated', async () => {
    const words = ['cp', 'big', ':/big', ...slowly];
    writeFileSync(join(here, 'big'), content);
    await kill(words, 'part', 3);
    const before = answered('part').length;
    const { exitCode, stdout } = await run(['cp', 'big', ':/big', '--part-size', '5MiB', '--json'], {
      cwd: here,
      env: env(),
    });
    expect(exitCode).toBe(0);
    expect(emulator.volume().read('/big')?.equals(content)).toBe(true);
    expect(answered('part').length - 5).toBeLessThanOrEqual(2);
    expect(JSON.parse(String(stdout)).resumedBytes).toBeGreaterThanOrEqual((before - 2) * 5 * mib);
    expect(filesIn(home)).toEqual([]);
  });

  test('from a volume resumes', async () => {
    emulator.volume().write('/big', content);
    await kill(['cp', ':/big', 'big', ...slowly], 'object', 3);
    expect(filesIn(here)).toEqual([expect.stringMatching(/^\.gantry-[0-9a-f]{16}-0$/)]);
    const { exitCode } = await run(['cp', ':/big', 'big', '--part-size', '5MiB'], { cwd: here, env: env() });
    expect(exitCode).toBe(0);
    expect(readFileSync(join(here, 'big')).equals(content)).toBe(true);
    expect(filesIn(here)).toEqual(['big']);
    expect(filesIn(home)).toEqual([]);
  });
});

describe('two copies to the same file', () => {
  const [one, two] = [noise(10 * mib, 'one'), noise(10 * mib, 'two')];
  const copies = () => {
    emulator.volume().write('/one/x', one);
    emulator.volume().write('/two/x', two);
    return ['one', 'two'].map((name) => start(['cp', `:/${name}/`, 'target', ...slowly], { cwd: here, env: env() }));
  };

  test('run one after the other, and the file is that of the last', async () => {
    const ended = await Promise.all(copies().map(async (child) => ({ ...(await child.ended), ...child.said })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const waited = ended.findIndex(({ stderr }) => stderr.includes('waiting for another gantry'));
    expect(readFileSync(join(here, 'target/x')).equals(waited === 0 ? one : two)).toBe(true);
    expect(filesIn(here)).toEqual(['target/x']);
    expect(filesIn(home)).toEqual([]);
  });

  test('end with a complete file if one of them is killed', async () => {
    const [first, second] = copies();
    while (answered('object').length < 2) await setTimeout(5);
    second?.kill('SIGKILL');
    const [{ code }] = await Promise.all([first?.ended ?? Promise.reject(), second?.ended]);
    expect(code).toBe(0);
    expect(readFileSync(join(here, 'target/x')).equals(one)).toBe(true);
  });
});

test('a copy removes the files that killed copies left', async () => {
  for (let file = 0; file < 120; file++) emulator.volume().write(`/f/${file}`, noise(20_000, String(file)));
  await kill(['cp', ':/f', 'f'], 'object', 20);
  const { exitCode } = await run(['cp', ':/f', 'f'], { cwd: here, env: env() });
  expect(exitCode).toBe(0);
  expect(filesIn(here).filter((path) => !/^f\/\d+$/.test(path))).toEqual([]);
  expect(filesIn(here)).toHaveLength(120);
  expect(filesIn(home)).toEqual([]);
});
