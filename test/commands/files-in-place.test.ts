import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newOwnerName } from '../../src/kernel/disk/index.ts';
import { emulatorForEach, filesIn, lay, newFolder, noise, gantry as run, type Setting } from '../support/index.ts';

let home: string;
let here: string;

const emulator = emulatorForEach({ real: false, seed: 1 });

beforeEach(async () => {
  home = newFolder();
  here = newFolder();
});

const gantry = (words: string[], setting: Setting = {}) =>
  run(words, { emulator, cwd: here, env: { GANTRY_CONFIG_DIR: home }, ...setting });

const app = {
  'cerebrium.toml': '[cerebrium.deployment]\nname = "web"\n',
  'main.py': 'def run():\n    return 1\n',
};

describe('a download', () => {
  const big = noise(11 * 2 ** 20);
  const parts = ['--part-size', '5MiB'];

  /** A download that was interrupted after its first part. */
  async function interrupted(): Promise<void> {
    emulator.volume().write('/big', big);
    emulator.fail('object', 'none', 'reset-during');
    const words = ['cp', ':/big', 'target/big', ...parts, '--concurrency', '1'];
    const { code } = await gantry(words, { stop: /trying again|retrying/ });
    expect(code).toBe(130);
    expect(filesIn(join(here, 'target'))).toEqual([expect.stringMatching(/^\.gantry-/)]);
  }

  test('keeps files apart whose names look temporary', async () => {
    const names = ['a', 'a.gantry-part', 'a.part', '.gantry-0123456789abcdef-0', '.gantry-0123456789abcdef-1'];
    for (const name of names) emulator.volume().write(`/f/${name}`, name.repeat(9));
    for (const words of [['cp'], ['cp', '--verify'], ['sync']]) {
      const { code, json } = await gantry([...words, ':/f/', `${words.length}${words[0]}`, '--json']);
      expect([code, json()]).toMatchObject([0, { files: names.length, failed: [] }]);
      const folder = join(here, `${words.length}${words[0]}`);
      for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe(name.repeat(9));
      expect(filesIn(folder)).toEqual([...names].sort());
    }
  });

  test('keeps the permissions of the file it replaces', async () => {
    lay(here, { a: 'old' });
    chmodSync(join(here, 'a'), 0o600);
    emulator.volume().write('/a', 'new');
    expect((await gantry(['cp', ':/a', 'a'])).code).toBe(0);
    expect(statSync(join(here, 'a')).mode & 0o777).toBe(0o600);
  });

  test('does not change the user’s files beside its target', async () => {
    const own = ['a.gantry-part', 'a.part', '.gantry-0123456789abcdef-0'];
    lay(here, Object.fromEntries(own.map((name) => [name, 'mine'])));
    emulator.volume().write('/a', 'theirs');
    expect((await gantry(['cp', ':/a', 'a'])).code).toBe(0);
    emulator.fail('object', '403*');
    expect((await gantry(['cp', ':/a', 'b'])).code).toBe(1);
    for (const name of own) expect(readFileSync(join(here, name), 'utf8')).toBe('mine');
    expect(filesIn(here)).toEqual([...own, 'a'].sort());
  });

  test('that was interrupted leaves no files that another command would copy', async () => {
    await interrupted();
    lay(here, { 'target/mine': 'mine', 'target/.gantry-0123456789abcdef-0': 'mine, too' });
    const sent = ['.gantry-0123456789abcdef-0', 'mine'];
    const synced = await gantry(['sync', 'target', ':/synced', '--json']);
    expect(synced.json()).toMatchObject({ files: 2 });
    expect((await gantry(['cp', 'target', ':/copied', '--json'])).json()).toMatchObject({ files: 2 });
    const paths = emulator.volume().paths();
    expect(paths).toEqual(['/big', ...['/copied', '/synced'].flatMap((to) => sent.map((name) => `${to}/${name}`))]);
    const { stderr } = await gantry(['sync', ':/synced', 'target', '--delete', '--dry-run']);
    expect(stderr).not.toContain('deletes');
    expect((await gantry(['cp', ':/big', 'target/big', ...parts, '--json'])).json()).toMatchObject({
      resumedBytes: 5 * 2 ** 20,
    });
    expect(readFileSync(join(here, 'target/big')).equals(big)).toBe(true);
  });

  test('that was interrupted in the folder of an app is not deployed', async () => {
    await interrupted();
    lay(join(here, 'target'), app);
    const { stdout } = await gantry(['deploy', '--dry-run', '--json', '-C', 'target']);
    expect(JSON.parse(stdout)).toMatchObject({ send: { files: 2 } });
  });

  test('is not resumed from a file that replaced the temporary one', async () => {
    await interrupted();
    const [part = ''] = filesIn(join(here, 'target'));
    lay(here, { other: 'x'.repeat(big.length) });
    const { rmSync } = process.getBuiltinModule('node:fs');
    rmSync(join(here, 'target', part));
    symlinkSync(join(here, 'other'), join(here, 'target', part));
    expect((await gantry(['cp', ':/big', 'target/big', ...parts])).code).toBe(0);
    expect(readFileSync(join(here, 'target/big')).equals(big)).toBe(true);
    expect(readFileSync(join(here, 'other'), 'utf8')).toBe('x'.repeat(big.length));
  });

  test.each([
    ['ranges beyond the file', '{"is":"part","file":"big","part":{"number":9}}', ''],
    ['ranges of no number', '{"is":"part","file":"big","part":{"number":null}}', 'is damaged; starting over'],
    ['lines of another kind', '{"is":"begun","part":null}', 'is damaged; starting over'],
  ])('starts over if its journal has %s', async (_, line, warning) => {
    await interrupted();
    const journal = join(home, filesIn(home).find((file) => file.endsWith('.jsonl')) ?? '');
    const rows = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, rows.map((row) => (row.includes('"part"') ? line : row)).join('\n'));
    const { code, stderr, json } = await gantry(['cp', ':/big', 'target/big', ...parts, '--json']);
    expect(stderr).toContain(warning);
    expect([code, json()]).toMatchObject([0, { resumedBytes: 0 }]);
    expect(readFileSync(join(here, 'target/big')).equals(big)).toBe(true);
  });
});

describe.each([
  ['an archive', 'out.zip', () => ['deploy', '--dry-run', '-o', 'out.zip']],
  ['a page of charts', 'out.html', () => ['runs', 'chart', 'web', '--html', 'out.html']],
])('%s', (_, name, words) => {
  test('does not change the user’s files beside it', async () => {
    lay(here, { ...app, [`${name}.part`]: 'mine' });
    const { code, stderr } = await gantry(words());
    expect([code, stderr]).toMatchObject([0, expect.anything()]);
    expect(readFileSync(join(here, `${name}.part`), 'utf8')).toBe('mine');
    expect(existsSync(join(here, name))).toBe(true);
    expect(filesIn(home)).toEqual([]);
  });

  test('does not follow a link to another file', async () => {
    lay(here, { ...app, 'elsewhere/other': 'untouched' });
    symlinkSync(join(here, 'elsewhere/other'), join(here, `${name}.part`));
    expect((await gantry(words())).code).toBe(0);
    expect(readFileSync(join(here, 'elsewhere/other'), 'utf8')).toBe('untouched');
    expect(lstatSync(join(here, `${name}.part`)).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(here, name)).isFile()).toBe(true);
  });
});

test.each([
  ['deploy', '--dry-run'],
  ['deploy', '--dry-run', '-o', '../app.zip'],
])('the archive of a killed deploy is removed by %s %s', async (...words) => {
  lay(here, app);
  const left = join(tmpdir(), `gantry-archive-${newOwnerName().replace(/^\d+/, String(2 ** 22 + 1))}`);
  lay(left, { 'app.zip': 'packed' });
  expect((await gantry(words)).code).toBe(0);
  expect(existsSync(left)).toBe(false);
});
