import { afterEach, expect, test, vi } from 'vitest';
import { FileIndex } from '../../../src/app/packing-cache/file-index.ts';
import { emulatorForEach, gantry, newFolder, onDisk, smallApp } from '../../support/index.ts';

onDisk();

const emulator = emulatorForEach({ real: false });
afterEach(() => vi.restoreAllMocks());

/** Changes of files are old then: none can have left no trace. */
const later = { clock: { jumps: () => 3_600_000 } };
const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`data/${index}.txt`, '']));

test.each([
  ['a few files, which are read as fast', {}, 0],
  ['thousands of files, however small', many, 1_002],
])('an unchanged app of %s', async (_, files, unread) => {
  const cwd = newFolder({ ...smallApp(), ...files });
  const env = { GANTRY_CONFIG_DIR: newFolder() };
  const deploy = () => gantry(['deploy', '--if-changed', '--json'], { emulator, cwd, env, ...later });
  await deploy();
  await deploy();
  const recall = vi.spyOn(FileIndex.prototype, 'recall');
  expect((await deploy()).json()).toMatchObject({ changed: false });
  const isKnown = recall.mock.results.map(({ value }) => value !== undefined);
  expect([isKnown.length, isKnown.includes(false)]).toEqual([unread, false]);
});
