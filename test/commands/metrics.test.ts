import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering } from '../support/answering.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Setting, wideTerminal } from '../support/gantry.ts';
import { deployWeb, recordMany } from '../support/runs.ts';

const hour = 3_600_000;
const end = Math.floor(Date.now() / hour) * hour;
const at = (ms: number) => new Date(ms).toISOString();
const range = ['--since', at(end - 6 * hour), '--until', at(end)];

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
  const stretch = { from: end - 5 * hour, to: end - 1 };
  recordMany(emulator, { name: 'cold', number: 20, ...stretch, coldstartMs: 4_000, container: 'web-a' });
  recordMany(emulator, { name: 'colder', number: 10, ...stretch, coldstartMs: 9_000, container: 'web-b' });
});

beforeEach(() => {
  emulator.calls.length = 0;
});

const startup = (flags: string[] = [], { env, ...setting }: Setting = {}) =>
  gantry(['metrics', 'web', '--startup', ...flags], {
    emulator,
    ...wideTerminal,
    ...setting,
    env: { ...wideTerminal.env, ...env },
  });

test('passes the reply through', async () => {
  const { code, json } = await startup([...range, '--json']);
  expect(code).toBe(0);
  expect(json()).toMatchObject({ status: 'success', data: { total_runs: 30 } });
});

test('shows a chart and a table', async () => {
  const { stdout, stderr } = await startup([...range]);
  expect(stdout).toMatch(/^30 runs\n.*, UTC\n\n/);
  expect(stdout).toMatch(/● p50: last \S+ s, max 9\.0 s/);
  expect(stdout).toMatch(/^TIME +P50 +P90 +P99$/m);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d +(4|9)\.0 s /m);
  expect(stderr).toBe('');
});

test('prints one line of numbers per point in a pipe', async () => {
  const { stdout } = await gantry(['metrics', 'web', '--startup', ...range], { emulator });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z\t[49]000\t[49]000\t[49]000$/);
});

test('accepts a container and a resolution', async () => {
  await startup([...range, '--container', 'web-a', '--resolution', 'high']);
  expect(emulator.calls.slice(-1).map(({ query }) => query)).toMatchObject([
    { start: at(end - 6 * hour), end: at(end), container_id: 'web-a', resolution: 'high' },
  ]);
});

test('prints a note if nothing started', async () => {
  const { code, stdout, stderr } = await startup(['--since', '30d', '--until', '20d']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^0 runs\n.* to .*\n$/);
  expect(stderr).toBe('no starts in this time; pass --since to go further back\n');
});

describe('a platform that', () => {
  const elsewhere = async (reply: object) => ({ env: { GANTRY_API_URL: await answering(reply) } });
  const data = { time_series: [{ timestamp: end / 1000 - 60, p50: 1.5, p90: 2, p99: null }], total_runs: 1 };

  test.each([
    ['has no data', { status: 'error', data: null }, 'its status is "error"'],
    ['has data, and a doubt', { status: 'partial', data }, 'the platform\'s status is "partial"'],
    ['has no series', { status: 'success', data: { time_series: null } }, 'no starts in this time'],
  ])('%s is quoted in the output', async (_, reply, message) => {
    const { code, stdout, stderr } = await startup(range, await elsewhere(reply));
    expect(code).toBe(0);
    expect(stdout).not.toBe('');
    expect(stderr).toContain(message);
  });

  test('returns points in any order: they are sorted', async () => {
    const points = [3, 1, 2].map((place) => ({
      timestamp: end / 1000 - 600 * place,
      p50: place,
      p90: place,
      p99: place,
    }));
    const reply = { status: 'success', data: { time_series: points, total_runs: 3 } };
    const { stdout } = await startup(range, await elsewhere(reply));
    expect([...stdout.matchAll(/:\d\d +(\d)\.0 s/g)].map(([, seconds]) => seconds)).toEqual(['1', '2', '3']);
  });
});

test('--html writes a page with the same numbers', async () => {
  const folder = newFolder();
  const { stderr } = await startup([...range, '--html', 'startup.html'], { cwd: folder });
  expect(stderr).toBe('wrote the charts to startup.html\n');
  const page = await readFile(join(folder, 'startup.html'), 'utf8');
  expect(page).toContain('Start-up times of web');
  expect(page).toContain('<td>9.0 s</td>');
});
