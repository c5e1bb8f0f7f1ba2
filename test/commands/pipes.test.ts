import { expect, test } from 'vitest';
import { emulatorForAll, fullDisk, gantry } from '../support/index.ts';

const emulator = emulatorForAll({ seed: 1 });

/** `1.5 KiB`, `12 s`, `1m 35s`, `15m` or `3 min ago`. */
const forPeople = /^[\d.]+ (B|[KMGT]iB|ms|s)$|^\d+[mhd]( \d+[smh])?$| ago$/;

test.each([
  'apps list',
  'cost --by day',
  'builds list web',
  'builds get web --files',
  'runs list web --limit 20',
  'runs chart web --since 7d --by day',
  'metrics web --startup',
  'apps containers web',
  'secrets list',
  'users list',
  'service-accounts list',
  'api-keys list',
  'plan payment-methods',
  'plan invoices',
  'config list --show-origin',
  'help exit-codes',
])('gantry %s prints rows of as many cells in a pipe, with numbers that scripts can read', async (line) => {
  const { code, stdout } = await gantry(line.split(' '), { emulator });
  expect(code).toBe(0);
  const rows = stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((row) => row.split('\t'));
  expect(new Set(rows.map((cells) => cells.length)).size).toBeLessThanOrEqual(1);
  expect(rows.flat().filter((cell) => forPeople.test(cell))).toEqual([]);
  expect(stdout).not.toMatch(/\u001b|[│┤█─]/);
});

test.each(['apps get web', 'cost web', 'whoami'])('gantry %s prints names and values in a pipe', async (line) => {
  const { stdout } = await gantry(line.split(' '), { emulator });
  const pairs = stdout.trimEnd().split('\n');
  for (const pair of pairs) expect(pair).toMatch(/^[^\t]+\t[^\t]+$/);
  expect(pairs.filter((pair) => forPeople.test(pair.split('\t')[1] ?? ''))).toEqual([]);
});

test.each([[['apps', 'scale', 'web', '--max-replicas', '7']], [['secrets', 'set', 'A_KEY', '--from-env', '--yes']]])(
  'that %j has done its work is said where its result cannot be written',
  async (words) => {
    const { code, stderr } = await gantry(words, { emulator, env: { A_KEY: 'a-value' }, io: fullDisk() });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /error: cannot write to stdout: no space left on device\n {2}why the command has done its work, which stays\n {2}fix gantry status\n/,
    );
  },
);

test('a command that only reads has done nothing where its result cannot be written', async () => {
  const { code, stderr } = await gantry(['apps', 'list'], { emulator, io: fullDisk() });
  expect([code, stderr]).toEqual([1, expect.not.stringContaining('has done its work')]);
});
