import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { isLocalName } from '../../src/operations/monitor/serve-metrics.ts';
import { openTextServer } from '../../src/receiver/text-server.ts';
import { newFolder } from '../support/files.ts';
import { gantry } from '../support/gantry.ts';
import { deployWeb, recordMany } from '../support/runs.ts';

const clock = { now: Date.UTC(2026, 10, 20, 12) };
let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ real: false, now: () => clock.now });
  await deployWeb(emulator);
  clock.now += 3_600_000;
});
afterAll(() => emulator.close());

/** Serves for so many rounds of five seconds. Returns what the page had after each, and then. */
async function served(cwd: string, rounds: number, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const pages: { status: number; type: string; text: string }[] = [];
  let url = '';
  const outcome = await gantry(['metrics', 'serve', '--port', '0'], {
    ...{ emulator, cwd, clock, stop: stop.signal, env: { XDG_STATE_HOME: join(cwd, 'state') } },
    seen: (stdout) => {
      url = stdout.trim();
    },
    meanwhile: async () => {
      const response = await fetch(url, { headers });
      const { status } = response;
      pages.push({ status, type: response.headers.get('content-type') ?? '', text: await response.text() });
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

test('counters never fall, whatever is restarted or forgotten', async () => {
  const cwd = newFolder();
  let last = 0;
  for (let restart = 0; restart < 12; restart++) {
    recordMany(emulator, { name: `c-${restart}`, number: 5, from: clock.now, to: clock.now + 1_000 });
    const { pages } = await served(cwd, 6);
    for (const { text } of pages) {
      const calls = sample(text, 'gantry_app_calls_total') ?? last;
      expect(calls).toBeGreaterThanOrEqual(last);
      last = calls;
    }
    // An hour later the minutes are settled; once, the platform forgets all runs.
    if (restart % 5 === 0) clock.now += 3_600_000;
    if (restart === 8) emulator.store.runs.clear();
  }
  expect(last).toBeGreaterThanOrEqual(40);
});

test('a browser page with a name of its own for this machine is refused', async () => {
  const statusOf = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port: Number(new URL(server.url).port), path: '/metrics', headers: { host } };
      get(options, ({ statusCode }) => resolve(statusCode)).on('error', reject);
    });
  const textOf = () => ({ contentType: 'text/plain', text: '' });
  const server = await openTextServer({ host: '127.0.0.1', port: 0, textOf, isOwnHost: (name) => isLocalName(name) });
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
