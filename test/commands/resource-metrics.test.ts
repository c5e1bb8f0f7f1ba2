import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { answering } from '../support/answering.ts';
import { emulatorForAll, gantry, newFolder, type Setting, startEmulator, wideTerminal } from '../support/index.ts';

const hour = 3_600_000;
/** A Monday, when the seeded apps are busy. */
const end = Date.UTC(2026, 10, 23, 15);
const at = (ms: number) => new Date(ms).toISOString();
const range = ['--since', at(end - 6 * hour), '--until', at(end)];

const emulator = emulatorForAll({ seed: 1, now: () => end });

beforeEach(() => {
  emulator.calls.length = 0;
});

const resources = (app: string, flags: string[] = [], { env, ...setting }: Setting = {}) =>
  gantry(['metrics', app, ...flags], {
    emulator,
    clock: { now: end },
    ...wideTerminal,
    ...setting,
    env: { ...wideTerminal.env, ...env },
  });

test('passes the reply through, with numbers as numbers', async () => {
  const { code, json } = await resources('web', [...range, '--json']);
  expect(code).toBe(0);
  const { cpu } = json() as { cpu: { timestamps: number[]; series: { name: string; data: (number | null)[] }[] } };
  expect(cpu.series.map(({ name }) => name)).toEqual(['P50', 'P90', 'Max']);
  expect(cpu.series[2]?.data).toHaveLength(cpu.timestamps.length);
  expect(cpu.series[2]?.data.some((value) => typeof value === 'number' && value > 0 && value <= 4)).toBe(true);
});

test('of a short span has all of it, and the minute in progress', async () => {
  const own = await startEmulator({ seed: 1, now: () => end - 30_000 });
  await gantry(['metrics', 'web', '--since', '1m'], { emulator: own, clock: { now: end - 30_000 } });
  expect(own.calls.at(-1)?.query).toMatchObject({ start: at(end - 120_000), end: at(end) });
  // Rows of a minute differ: their times have seconds.
  const since = { emulator: own, clock: { now: end - 30_000 }, ...wideTerminal };
  const { stdout } = await gantry(['metrics', 'transcriber', '--since', '1m'], since);
  const times = stdout.match(/^\d{4}-\d\d-\d\d \S+/gm) ?? [];
  const rows = times.slice(times[0]?.includes(' to ') ? 1 : 0);
  expect(rows.length).toBeGreaterThan(10);
  expect(new Set(rows).size).toBe(rows.length);
  await own.close();
});

test('shows peaks, a chart for each resource and a table', async () => {
  const { stdout, stderr } = await resources('web', [...range]);
  expect(stdout).toMatch(/^peak CPU [\d.]+ cores, peak memory [\d.]+ GB, peak GPU memory [\d.]+ GB\n.*, UTC\n\n/);
  expect(stdout).toMatch(/^CPU in cores$/m);
  expect(stdout).toMatch(/● P50: last [\d.]+ cores, max [\d.]+ cores/);
  expect(stdout).toMatch(/^memory in GB$/m);
  expect(stdout).toMatch(/^GPU memory in GB$/m);
  expect(stdout).toMatch(/^TIME +CPU P50 +CPU P90 +CPU MAX +MEM P50 +MEM P90 +MEM MAX +GPU P50 +GPU P90 +GPU MAX$/m);
  expect(stderr).toBe('');
});

test('shows the highest values only on a narrow terminal', async () => {
  const { stdout } = await resources('web', range, { columns: 80 });
  expect(stdout).toMatch(/^TIME +CPU MAX +MEM MAX +GPU MAX$/m);
});

test('omits the GPU of an app without one', async () => {
  const { stdout } = await resources('nightly-report', ['--since', '24h']);
  expect(stdout).toMatch(/^memory in GB$/m);
  expect(stdout).not.toContain('GPU');
});

test('can be limited to one container', async () => {
  const { json } = await gantry(['apps', 'containers', 'web', '--json'], { emulator, clock: { now: end } });
  const [{ containerId } = { containerId: '' }] = json() as { containerId: string }[];
  const { stdout } = await resources('web', [...range, '--container', containerId.slice(-8)]);
  expect(stdout).toMatch(/^TIME +CPU +MEM/m);
});

test('prints one line of numbers per point in a pipe, with a cell for every value', async () => {
  const { stdout } = await gantry(['metrics', 'web', ...range], { emulator, clock: { now: end } });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z(\t[\d.]+){9}$/);
});

test('sends the range, the container and the resolution', async () => {
  await resources('web', [...range, '--container', 'web-a', '--resolution', 'high']);
  expect(emulator.calls.slice(-1).map(({ query }) => query)).toEqual([
    { start: at(end - 6 * hour), end: at(end), container_id: 'web-a', resolution: 'high' },
  ]);
});

test.each([
  [['--since', '1h', '--until', '2h'], 'invalid range: --until is before --since'],
  [['--resolution', 'low'], 'expected one of medium, high'],
])('rejects %j before any request', async (flags, message) => {
  const { code, stderr } = await resources('web', flags);
  expect([code, emulator.calls]).toEqual([2, []]);
  expect(stderr.toLowerCase()).toContain(message);
});

test('prints a note if nothing was measured', async () => {
  const { code, stdout, stderr } = await resources('web', ['--since', '60d', '--until', '50d']);
  const note = 'nothing was measured in this time; pass --since to go further back\n';
  expect([code, stderr]).toEqual([0, note]);
  expect(stdout).toMatch(/^\S+ \S+ to \S+ \S+, \S+\n$/);
});

test('reads times in milliseconds, numbers, and charts that are missing', async () => {
  const chart = { timestamps: [end - 60_000, end], series: [{ name: 'cpu', data: [0.25, null] }] };
  const env = { GANTRY_API_URL: await answering({ cpu: chart, memory: null }) };
  const { stdout } = await resources('web', [...range], { env });
  expect(stdout).toMatch(/^peak CPU 0.25 cores\n/);
  expect(stdout).toMatch(/^2026-11-23 14:59 +0.25$/m);
});

test('--html writes a page with the same numbers', async () => {
  const folder = newFolder();
  const { stdout, stderr } = await resources('web', [...range, '--html', 'resources.html'], { cwd: folder });
  expect(stderr).toBe('wrote the charts to resources.html\n');
  const page = await readFile(join(folder, 'resources.html'), 'utf8');
  expect(page).toContain('Resource use of web');
  const [, peak = ''] = /peak CPU ([\d.]+) cores/.exec(stdout) ?? [];
  expect(page).toContain(`<td>${peak}</td>`);
});
