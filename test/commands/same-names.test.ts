import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nameProbe } from '../../src/kernel/disk/name-probe.ts';
import { emulatorForEach, filesIn, newFolder, gantry as run } from '../support/index.ts';

const emulator = emulatorForEach();
let here: string;

const fold = (name: string) => name.normalize('NFC').toLowerCase();

/** The disk of these tests keeps all names apart; the probe says that it does not. */
beforeEach(() => {
  vi.spyOn(nameProbe, 'mergesNames').mockReturnValue(true);
  vi.spyOn(nameProbe, 'isSameName').mockImplementation((_, first, second) => fold(first) === fold(second));
  here = newFolder();
  for (const path of ['Readme.md', 'b', 'readme.md', 'x/Data/a', 'x/data/b']) shelf().write(`/f/${path}`, path);
});
afterEach(() => vi.restoreAllMocks());

const shelf = () => emulator.volume();
const gantry = (words: string[]) =>
  run(words, { emulator, cwd: here, env: { GANTRY_CONFIG_DIR: join(here, '.home') } });
const copies = () => filesIn(here).filter((path) => !path.startsWith('.home'));
const pairs = [
  ['Readme.md', 'readme.md'],
  ['x/Data/', 'x/data/'],
];

test.each([['cp'], ['sync']])(
  '%s refuses names that are equal on the target disk, and writes nothing',
  async (command) => {
    const { code, json, stderr } = await gantry([command, ':/f', 'g', '--json']);
    expect(code).toBe(7);
    expect(json()).toMatchObject({ error: { code: 'conflict', details: { clashes: pairs } } });
    expect(stderr).toContain('Readme.md and readme.md');
    expect(stderr).toContain('x/Data/ and x/data/');
    expect(stderr).toContain('--exclude');
    expect(copies()).toEqual([]);
    expect(existsSync(join(here, 'g'))).toBe(false);
  },
);

test('a dry run refuses them as well', async () => {
  expect((await gantry(['cp', ':/f', 'g', '--dry-run'])).code).toBe(7);
});

test('names the pair if there is only one', async () => {
  shelf().write('/one/README', 'a');
  shelf().write('/one/readme', 'b');
  expect(await gantry(['cp', ':/one', 'g'])).toExit(7, 'README and readme are the same name on the target disk');
});

test('a single file may replace another spelling of its name', async () => {
  expect((await gantry(['cp', ':/f/readme.md', 'g/'])).code).toBe(0);
  expect(copies()).toEqual(['g/readme.md']);
});

test('sync treats another spelling of a name on the disk as the same file, and never deletes it', async () => {
  for (const path of ['Readme.md', 'b']) shelf().write(`/one/${path}`, path);
  mkdirSync(join(here, 'g'));
  writeFileSync(join(here, 'g/README.md'), 'Readme.md');
  utimesSync(join(here, 'g/README.md'), 2_000_000_000, 2_000_000_000);
  vi.spyOn(nameProbe, 'isSameEntry').mockImplementation((_, first, second) => fold(first) === fold(second));
  const { code, json } = await gantry(['sync', ':/one', 'g', '--delete', '--confirm', 'g', '--json']);
  expect(code).toBe(0);
  expect(json()).toMatchObject({ new: 1, updated: 0, unchanged: 1, extra: 0, deleted: 0 });
  expect(readdirSync(join(here, 'g')).sort()).toEqual(['README.md', 'b']);
});
