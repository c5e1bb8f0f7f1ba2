import { afterEach, expect, test, vi } from 'vitest';
import { FileChecksums } from '../../../src/app/file-checksums.ts';
import { emulatorForEach, gantry, newFolder, onDisk, smallApp } from '../../support/index.ts';

onDisk();

const emulator = emulatorForEach({ real: false });
afterEach(() => vi.restoreAllMocks());

/** Changes of files are old then: none can have left no trace. */
const later = { clock: { jumps: () => 3_600_000 } };
const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`data/${index}.txt`, '']));

test.each([
  ['a few files, which are read as fast', {}, 1],
  ['thousands of files, however small', many, 0],
])('an unchanged app of %s', async (_, files, reads) => {
  const cwd = newFolder({ ...smallApp(), ...files });
  const env = { GANTRY_CONFIG_DIR: newFolder() };
  const deploy = () => gantry(['deploy', '--if-changed', '--json'], { emulator, cwd, env, ...later });
  await deploy();
  await deploy();
  const read = vi.spyOn(FileChecksums.prototype, 'readAll');
  expect([(await deploy()).json(), read.mock.calls.length]).toEqual([
    expect.objectContaining({ changed: false }),
    reads,
  ]);
});
