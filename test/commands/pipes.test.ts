import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { gantry } from '../support/gantry.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: 1 });
});

afterAll(() => emulator.close());

/** `1.5 KiB`, `12 s`, `1m 35s`, `15m` or `3 min ago`. */
const forPeople = /^[\d.]+ (B|[KMGT]iB|ms|s)$|^\d+[mhd]( \d+[smh])?$| ago$/;

test.each([
  'apps list',
  'apps cost web',
  'builds list web',
  'builds get web --files',
  'runs list web --limit 20',
  'runs chart web --since 7d --by day',
  'metrics web --startup',
  'apps containers web',
  'secrets list',
  'team users',
  'team service-accounts',
  'team api-keys',
  'plan payment-methods',
  'plan invoices',
  'config list --show-origin',
  'reference',
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

test.each(['apps get web', 'plan cost', 'whoami'])('gantry %s prints names and values in a pipe', async (line) => {
  const { stdout } = await gantry(line.split(' '), { emulator });
  const pairs = stdout.trimEnd().split('\n');
  for (const pair of pairs) expect(pair).toMatch(/^[^\t]+\t[^\t]+$/);
  expect(pairs.filter((pair) => forPeople.test(pair.split('\t')[1] ?? ''))).toEqual([]);
});
