import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { gantry, wideTerminal } from '../support/gantry.ts';

const day = 86_400_000;

let emulator: Emulator;
let now: number;

beforeEach(async () => {
  // Noon UTC is the same day in almost every time zone.
  now = Date.UTC(2026, 10, 18, 12);
  emulator = await startEmulator({ real: false, now: () => now });
  await using app = await folderOf(smallApp('[cerebrium.hardware]\ncompute = "ADA_L4"\n'));
  await gantry(['deploy', '--yes'], { emulator, cwd: app.path });
  for (const runtimeMs of [3_600_000, 1_800_000]) {
    const app = `${emulator.project}-web`;
    emulator.store.addRun({ app, createdAt: now, runtimeMs, statusCode: 200, container: `web-${runtimeMs}` });
    now += day;
  }
});

afterEach(() => emulator.close());

const cost = (...flags: string[]) => gantry(['apps', 'cost', 'web', ...flags], { emulator, ...wideTerminal });

test('shows the cost of each day, newest first, and the total', async () => {
  const { code, stdout } = await cost();
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.slice(0, 10).split(' ')[0])).toEqual([
    ...['DATE', '2026-11-20', '2026-11-19', '2026-11-18', 'TOTAL'],
  ]);
  const [today, second, first, total] = lines.slice(1).map((line) => Number(line.split('$')[1]));
  expect(today).toBe(0);
  expect(second).toBeGreaterThan(0.3);
  expect(first).toBeGreaterThan(0.8);
  expect(total).toBeCloseTo((first ?? 0) + (second ?? 0), 1);
});

test.each([
  [
    ['--since', '2026-11-19'],
    ['2026-11-19', '2026-11-20'],
  ],
  [
    ['--until', '2026-11-19'],
    ['2026-11-18', '2026-11-19'],
  ],
  [['--since', '2026-11-19', '--until', '2026-11-19'], ['2026-11-19']],
  [['--since', '2026-11-21'], []],
])('%j shows %j', async (flags, days) => {
  const { json } = await cost(...flags, '--json');
  expect(Object.keys((json() as { costs: object }).costs)).toEqual(days);
});

test('prints a note if there are no costs in the range', async () => {
  const { code, stdout, stderr } = await cost('--since', '2026-12-24');
  expect([code, stdout, stderr]).toEqual([0, '', 'no costs of web in this range\n']);
});

test('passes the reply through with --json', async () => {
  expect((await cost('--json')).json()).toEqual({
    next: expect.any(Array),
    costs: {
      '2026-11-18': { total_cost_cents: expect.any(Number) },
      '2026-11-19': { total_cost_cents: expect.any(Number) },
      '2026-11-20': { total_cost_cents: 0 },
    },
  });
});

test.each([
  [['--since', '2026-11-19', '--until', '2026-11-18'], '--since 2026-11-19 is after --until 2026-11-18'],
  [['--since', 'May'], 'expected a time such as 2026-11-20'],
])('%j exits with 2', async (flags, said) => {
  const { code, stderr } = await cost(...flags);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});

test('apps get shows the cost of a replica per hour, day and month', async () => {
  const { stdout } = await gantry(['apps', 'get', 'web'], { emulator, ...wideTerminal });
  expect(stdout).toMatch(/^cost +\$\d\.\d\d per hour, \$\d\d\.\d\d per day, \$\d{3}\.\d\d per month$/m);
  expect(stdout).toMatch(/^cost per second +0\.02\d+ US cents, for each running replica$/m);
});
