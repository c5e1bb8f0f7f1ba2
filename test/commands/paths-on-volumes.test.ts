import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder } from '../support/index.ts';

const emulator = emulatorForAll();
const cwd = newFolder({ 'a.bin': 'a', 'folder/one': '1' });

test.each([
  'cp a.bin :/persistent-storage/a.bin',
  'cp a.bin /persistent-storage/a.bin',
  'cp folder default:/persistent-storage',
  'cp - :/persistent-storage/a.bin',
  'cp :/persistent-storage/a.bin .',
  `cp https://127.0.0.1:1/a.bin :/persistent-storage/a.bin --sha256 ${'a'.repeat(64)}`,
  'cp hf://org/model :/persistent-storage/models',
  'sync folder :/persistent-storage/folder',
  'sync :/persistent-storage/folder folder',
  'rm /persistent-storage/a.bin --yes',
  'rm -r :/persistent-storage/a/ --yes',
  'cat /persistent-storage/a.bin',
  'ls :/persistent-storage/a',
  'volumes usage /persistent-storage/a',
])('%s: the path of an app is not that of the volume', async (line) => {
  const stdin = line.includes(' - ') ? { stdin: 'text' } : {};
  const outcome = await gantry(line.split(' '), { emulator, cwd, ...stdin });
  expect(outcome).toExit(6, 'apps see this volume as /persistent-storage;', /\n {2}fix write default:\/[am\nf]/);
  expect(emulator.volume().paths()).toEqual([]);
});

test('a folder of that name on the volume can be listed and removed', async () => {
  emulator.volume().write('/persistent-storage/a.bin', 'a');
  expect((await gantry(['ls', '/persistent-storage'], { emulator })).stdout).toContain('a.bin');
  expect(
    await gantry(['rm', '-r', '/persistent-storage', '--yes', '--confirm', 'default:/persistent-storage'], {
      emulator,
    }),
  ).toExit(0);
  expect(
    emulator
      .volume()
      .paths()
      .filter((path) => path.endsWith('.bin')),
  ).toEqual([]);
});

test('a bare target that is a place of this machine is refused, and another goes to the default volume', async () => {
  const other = newFolder();
  for (const target of [`${other}/x`, other, './x', '..'])
    expect(await gantry(['cp', 'a.bin', target], { emulator, cwd })).toExit(
      2,
      'error: neither the source nor the target is on a volume\n',
      'is a folder of this machine',
      `\n  fix gantry cp a.bin :/`,
    );
  expect(
    emulator
      .volume()
      .paths()
      .filter((path) => path.endsWith('/x')),
  ).toEqual([]);
  for (const command of ['cp', 'sync']) {
    const { stderr } = await gantry([command, 'a.bin', './x', '--dry-run', '--limit-rate', '5MB'], { emulator, cwd });
    expect(stderr).toContain(`fix gantry ${command} a.bin :/x --dry-run --limit-rate 5MB\n`);
  }
  expect(await gantry(['cp', 'a.bin', '/no-such-folder/x'], { emulator, cwd })).toExit(0);
  expect(emulator.volume().paths()).toContain('/no-such-folder/x');
});
