import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { gantry } from '../support/gantry.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator();
  const volume = emulator.volume();
  volume.write('/small.txt', Buffer.alloc(10));
  volume.write('/models/a', Buffer.alloc(1000));
  volume.write('/models/deep/deeper/b', Buffer.alloc(3096));
  volume.makeFolder('/models/empty');
});

afterEach(() => emulator.close());

test('du sums up each entry with all below it, the largest first, and a total', async () => {
  const { code, stdout } = await gantry(['du'], { emulator });
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')),
  ).toEqual([
    ['4096', '2', 'models/'],
    ['10', '1', 'small.txt'],
    ['4106', '3', 'default:/'],
  ]);
});

test.each([
  ['/models', { path: 'default:/models', files: 2, bytes: 4096, entries: [{ name: 'deep/' }, { name: 'a' }] }],
  ['/models/a', { path: 'default:/models/a', files: 1, bytes: 1000, entries: [{ name: 'a', files: 1, bytes: 1000 }] }],
  ['/models/empty', { files: 0, bytes: 0, entries: [] }],
])('du %s --json has numbers', async (path, expected) => {
  const { json } = await gantry(['du', path, '--json'], { emulator });
  expect(json()).toMatchObject(expected);
});

test('du of a missing path exits with 6', async () => {
  expect((await gantry(['du', '/nothing'], { emulator })).code).toBe(6);
  expect((await gantry(['du', '/small.txt/'], { emulator })).code).toBe(6);
});

test('du lists several folders concurrently, and each once', async () => {
  for (let index = 0; index < 100; index += 1) emulator.volume().write(`/many/${index}/file`, 'x');
  emulator.calls.length = 0;
  const { json } = await gantry(['du', '/many', '--json'], { emulator });
  expect(json()).toMatchObject({ files: 100, bytes: 100 });
  const asked = emulator.calls.filter(({ endpoint }) => endpoint === 'listFolder').map(({ query }) => query.dir);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toHaveLength(102);
});

test('du continues if a listing fails once', async () => {
  emulator.fail('listFolder', 503, 'reset-before');
  expect((await gantry(['du', '/models', '--json'], { emulator })).json()).toMatchObject({ bytes: 4096 });
});
