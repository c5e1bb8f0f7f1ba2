import { beforeEach, expect, test } from 'vitest';
import { emulatorForEach, gantry } from '../support/index.ts';

const emulator = emulatorForEach();

beforeEach(async () => {
  const volume = emulator.volume();
  volume.write('/small.txt', Buffer.alloc(10));
  volume.write('/models/a', Buffer.alloc(1000));
  volume.write('/models/deep/deeper/b', Buffer.alloc(3096));
  volume.makeFolder('/models/empty');
});

test('volumes usage sums up each entry with all below it, the largest first, and a total', async () => {
  const { code, stdout } = await gantry(['volumes', 'usage'], { emulator });
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
])('volumes usage %s --json has numbers', async (path, expected) => {
  const { json } = await gantry(['volumes', 'usage', path, '--json'], { emulator });
  expect(json()).toMatchObject(expected);
});

test('volumes usage of a missing path exits with 6', async () => {
  expect((await gantry(['volumes', 'usage', '/nothing'], { emulator })).code).toBe(6);
  expect((await gantry(['volumes', 'usage', '/small.txt/'], { emulator })).code).toBe(6);
});

test('volumes usage lists several folders concurrently, and each once', async () => {
  for (let index = 0; index < 100; index += 1) emulator.volume().write(`/many/${index}/file`, 'x');
  emulator.calls.length = 0;
  const { json } = await gantry(['volumes', 'usage', '/many', '--json'], { emulator });
  expect(json()).toMatchObject({ files: 100, bytes: 100 });
  const asked = emulator.calls.filter(({ endpoint }) => endpoint === 'listFolder').map(({ query }) => query.dir);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toHaveLength(102);
});

test('volumes usage continues if a listing fails once', async () => {
  emulator.fail('listFolder', 503, 'reset-before');
  expect((await gantry(['volumes', 'usage', '/models', '--json'], { emulator })).json()).toMatchObject({ bytes: 4096 });
});
