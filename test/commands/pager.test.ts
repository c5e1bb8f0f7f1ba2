import { beforeAll, describe, expect, test } from 'vitest';
import { emulatorForAll, gantry, print, type Setting } from '../support/index.ts';

const emulator = emulatorForAll({ seed: 1 });

const screen: Setting = { columns: [120, 20] };
/** A pager that the user has quit. */
const quit = { write: async () => false, end: async () => {} };
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
  ['a command that changes something', ['apps', 'scale', 'web', '--min-replicas', '1'], { columns: [120, 1] }],
])('opens no pager for %s', async (_, words, setting) => {
  const { code, stdout, paged } = await gantry(words, { emulator, ...setting });
  expect([code, paged, stdout === '']).toEqual([0, [], false]);
});

test('prints the list if there is no such pager', async () => {
  const { code, stdout, paged } = await gantry(list, {
    emulator,
    ...screen,
    io: { startPager: async () => undefined },
  });
  expect([code, stdout.split('\n').length, paged.length]).toEqual([0, 102, 1]);
});

describe('a log', () => {
  beforeAll(() => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    for (const text of lines) print(emulator, text);
  });

  test('of more than a screen is shown in the pager', async () => {
    const { code, stdout, paged } = await gantry(['logs', 'web'], { emulator, ...screen });
    expect([code, stdout, paged.length]).toEqual([0, '', 1]);
    expect(paged[0]?.text).toMatch(/line 0\n.*line 59\n$/s);
  });

  test('is read no further if the user quits the pager', async () => {
    const { code, stdout, paged } = await gantry(['logs', 'web'], {
      emulator,
      ...screen,
      io: { startPager: async () => quit },
    });
    expect([code, stdout]).toEqual([0, '']);
    expect(paged[0]?.text).not.toContain('line 59');
  });

  test('that is followed, or shorter, is not', async () => {
    expect((await gantry(['logs', 'web', '--tail', '5'], { emulator, ...screen })).paged).toEqual([]);
    const followed = await gantry(['logs', 'web', '-f', '--tail', '50'], { emulator, ...screen, stop: /line 59/ });
    expect([followed.paged, followed.stdout]).toEqual([[], expect.stringContaining('line 59')]);
  });
});
