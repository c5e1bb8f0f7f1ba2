import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { gantry, type Setting } from '../support/gantry.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: 1 });
});

afterAll(() => emulator.close());

const screen: Setting = { columns: 120, rows: 20 };
const list = ['runs', 'list', 'web'];

test('shows a list of more than a screen in less', async () => {
  const { code, stdout, paged } = await gantry(list, { emulator, ...screen });
  expect([code, stdout]).toEqual([0, '']);
  expect(paged.map(({ command }) => command)).toEqual([['less', '-FRX']]);
  expect(paged[0]?.text.split('\n').length).toBe(102);
});

test.each([
  ['GANTRY_PAGER', { GANTRY_PAGER: "bat --style 'a b'", PAGER: 'more' }, ['bat', '--style', 'a b']],
  ['PAGER', { PAGER: 'more' }, ['more']],
])('uses %s', async (_, env, command) => {
  expect((await gantry(list, { emulator, ...screen, env })).paged[0]?.command).toEqual(command);
});

test.each<[string, string[], Setting]>([
  ['a short list', ['apps', 'list'], screen],
  ['a screen of unknown height', list, { columns: 120 }],
  ['a pipe', list, {}],
  ['--json', [...list, '--json'], screen],
  ['--no-pager', [...list, '--no-pager'], screen],
  ['GANTRY_PAGER=cat', list, { ...screen, env: { GANTRY_PAGER: 'cat' } }],
  ['TERM=dumb', list, { ...screen, env: { TERM: 'dumb' } }],
  ['CI', list, { ...screen, env: { CI: 'true' } }],
  ['a command that changes something', ['apps', 'scale', 'web', '--min-replicas', '1'], { columns: 120, rows: 1 }],
])('opens no pager for %s', async (_, words, setting) => {
  const { code, stdout, paged } = await gantry(words, { emulator, ...setting });
  expect([code, paged, stdout === '']).toEqual([0, [], false]);
});

test('prints the list if there is no such pager', async () => {
  const { code, stdout, paged } = await gantry(list, { emulator, ...screen, pager: false });
  expect([code, stdout, paged.length]).toEqual([0, paged[0]?.text, 1]);
});
