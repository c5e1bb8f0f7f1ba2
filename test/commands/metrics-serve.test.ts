import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openTextServer } from '../../src/calls/receiver/index.ts';
import { Draw } from '../chaos/draw.js';
import { isWhole } from '../support/extent.ts';
import { deployWeb, emulatorForAll, gantry, newFolder, recordMany } from '../support/index.ts';

const clock = { now: Date.UTC(2026, 10, 20, 12) };
const emulator = emulatorForAll({ real: false, now: () => clock.now });

beforeAll(async () => {
  await deployWeb(emulator);
  clock.now += 3_600_000;
});

/** `GANTRY_TEST=all` has more of them (docs/internals/testing.md). */
const restarts = isWhole ? 36 : 12;

/** Serves for so many rounds of five seconds. Returns what the page had after each, and then. */
async function served(cwd: string, rounds: number, headers: Record<string, string> = {}, seen = () => {}) {
  const stop = new AbortController();
  const pages: { status: number; type: string; text: string }[] = [];
  let url = '';
  const outcome = await gantry(['metrics', 'serve', '--port', '0'], {
    emulator,
    cwd,
    clock,
    stop: stop.signal,
    env: { GANTRY_CONFIG_DIR: join(cwd, 'state') },
    seen: (stdout) => {
      url = stdout.trim();
    },
    meanwhile: async () => {
      const response = await fetch(url, { headers });
      const { status } = response;
      pages.push({ status, type: response.headers.get('content-type') ?? '', text: await response.text() });
      seen();
      if (pages.length >= rounds) stop.abort();
    },
  });
  return { ...outcome, pages };
}

/** The value of a sample by its name and the rest of its labels. */
function sample(text: string, name: string): number | undefined {
  const [, value] = new RegExp(`^${name}\\{[^}]*app="web"[^}]*\\} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

test('the figures of an app are served to Prometheus', async () => {
  const cwd = newFolder();
  await served(cwd, 6);
  recordMany(emulator, { name: 'ok', number: 18, from: clock.now, to: clock.now + 20_000, runtimeMs: 400 });
  recordMany(emulator, { name: 'bad', number: 2, from: clock.now, to: clock.now + 20_000, statusCode: 500 });
  const { code, pages } = await served(cwd, 9, { accept: 'application/openmetrics-text; version=1.0.0' });
  expect(code).toBe(0);
  const { text = '', type } = pages.at(-1) ?? {};
  expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(text.endsWith('# EOF\n')).toBe(true);
  expect(text).toContain('# TYPE gantry_app_calls counter\n');
  expect(sample(text, 'gantry_app_calls_total')).toBe(20);
  expect(sample(text, 'gantry_app_failed_calls_total')).toBe(2);
  expect(sample(text, 'gantry_app_response_seconds_count')).toBe(20);
  expect(sample(text, 'gantry_app_response_seconds_sum')).toBeCloseTo(18 * 0.4 + 2 * 0.1, 2);
  expect(text).toMatch(/^gantry_app_response_seconds\{project="p-\d+",app="web",quantile="0.9"\} 0.4$/m);
  expect(sample(text, 'gantry_app_max_replicas')).toBeGreaterThan(0);
});

test('counters never fall, whatever is killed or forgotten', async () => {
  const [draw, cwd] = [new Draw(1), newFolder()];
  const [state, killed] = [join(cwd, 'state'), join(cwd, 'killed')];
  mkdirSync(state);
  const last = new Map<string, number>();
  for (let restart = 0; restart < restarts; restart++) {
    const number = draw.int(0, 9);
    const statusCode = draw.pick([200, 500]);
    // Some of the last ones have not ended yet.
    const runtimeMs = draw.pick([400, 90_000]);
    recordMany(emulator, {
      name: `c-${restart}`,
      number,
      from: clock.now,
      to: clock.now + 1_000,
      statusCode,
      runtimeMs,
    });
    const { pages } = await served(cwd, draw.int(3, 7), {}, () =>
      cpSync(state, killed, { recursive: true, force: true }),
    );
    for (const { text } of pages) {
      for (const name of counters) {
        const value = sample(text, name) ?? last.get(name) ?? 0;
        expect(value, name).toBeGreaterThanOrEqual(last.get(name) ?? 0);
        last.set(name, value);
      }
    }
    // What was on disk when the last page was read: the end wrote nothing more.
    rmSync(state, { recursive: true });
    cpSync(killed, state, { recursive: true });
    // An hour later the minutes are settled.
    if (draw.chance(0.3)) clock.now += draw.pick([60_000, 3_600_000, 86_400_000]);
    if (draw.chance(0.3)) emulator.store.runs.clear();
  }
  expect([...last.values()].every((value) => value > 0)).toBe(true);
}, 120_000);

const counters = [
  'gantry_app_calls_total',
  'gantry_app_failed_calls_total',
  'gantry_app_response_seconds_count',
  'gantry_app_response_seconds_sum',
];

test('a browser page with a name of its own for this machine is refused', async () => {
  const statusOf = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port: Number(new URL(server.url).port), path: '/metrics', headers: { host } };
      get(options, ({ statusCode }) => resolve(statusCode)).on('error', reject);
    });
  const textOf = () => ({ contentType: 'text/plain', text: '' });
  const server = await openTextServer({ host: '127.0.0.1', port: 0, textOf });
  onTestFinished(server.close);
  const hosts = ['evil.test', 'localhost:9464', '127.0.0.1', '[::1]:9464'];
  expect(await Promise.all(hosts.map(statusOf))).toEqual([403, 200, 200, 200]);
});

test('without OpenMetrics it is the text format of Prometheus', async () => {
  const { pages } = await served(newFolder(), 4);
  const { text = '', type } = pages.at(-1) ?? {};
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).not.toContain('# EOF');
  expect(text).toContain('# TYPE gantry_app_replicas gauge\n');
});

test('an app that does not exist has no address', async () => {
  const { code, stdout } = await gantry(['metrics', 'serve', 'nope', '--port', '0'], { emulator });
  expect([code, stdout]).toEqual([6, '']);
});
