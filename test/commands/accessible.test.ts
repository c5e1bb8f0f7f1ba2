import { expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

const emulator = emulatorForAll({ real: false, seed: 1 });

const reader = { columns: 100, env: { GANTRY_ACCESSIBLE: '1', NO_COLOR: '1' } };

test('tables are lists, with the title of each value', async () => {
  const { stdout } = await gantry(['apps', 'list'], { emulator, ...reader });
  const items = stdout.trimEnd().split('\n\n');
  expect(items).toHaveLength(3);
  expect(items.find((item) => item.startsWith('name: web\n'))).toMatch(/^status: ready$/m);
  expect((await gantry(['apps', 'get', 'web'], { emulator, ...reader })).stdout).toMatch(/^name: web$/m);
});

test('progress is sentences, without symbols and animation', async () => {
  const { stderr } = await gantry(['deploy', '--yes'], { emulator, cwd: newFolder(smallApp()), ...reader });
  expect(stderr).toMatch(/^Done: Built in /m);
  expect(stderr).not.toMatch(/[^\n -~]/);
});

test('charts are not drawn: their values are read', async () => {
  const drawn = await gantry(['runs', 'chart', 'web'], { emulator, columns: 100, env: { NO_COLOR: '1' } });
  const { stdout } = await gantry(['runs', 'chart', 'web'], { emulator, ...reader });
  expect(drawn.stdout).toMatch(/[█▁┤─│]/);
  expect(stdout).not.toMatch(/[^\n -~]/);
  expect(stdout).toMatch(/^runs: \d/m);
});

test('nothing changes in a pipe', async () => {
  const [piped, plain] = [{ env: { GANTRY_ACCESSIBLE: '1' } }, {}];
  const run = async (setting: object) => (await gantry(['projects', 'list'], { emulator, ...setting })).stdout;
  expect(await run(piped)).toBe(await run(plain));
});
