import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { faults, parseFaultOption } from '../../src/emulator/index.ts';
import { runOf } from '../support/runs.ts';
import { platform } from './support/platform.ts';
import { zip } from './support/zip.ts';

const archive = zip({ 'main.py': 'print(1)\n' });

test('faults apply once, in order, to matching requests only', async () => {
  const { emulator, ask } = await platform();
  emulator.fail('createApp', 503, '402');
  const create = async () => (await ask('POST', '/apps', { name: 'web' })).status;
  expect((await ask('GET', '/apps')).status).toBe(200);
  expect([await create(), await create(), await create()]).toEqual([503, 402, 200]);
  expect(emulator.calls.map((call) => call.status)).toEqual([200, 503, 402, 200]);
  expect(emulator.store.builds.size).toBe(1);
});

test('a fault with an asterisk applies to all further requests', async () => {
  const { emulator, ask } = await platform();
  emulator.fail('listApps', 500, '502*');
  const statuses = [];
  for (let call = 0; call < 4; call += 1) statuses.push((await ask('GET', '/apps')).status);
  expect(statuses).toEqual([500, 502, 502, 502]);
});

test.each([
  ['429:2', 429, '2'],
  ['503:date+60', 503, 'Fri, 20 Nov 2026 09:31:00 GMT'],
  ['503', 503, null],
])('%s has Retry-After', async (fault, status, retryAfter) => {
  const { emulator, ask } = await platform();
  emulator.fail('listApps', fault);
  const answer = await ask('GET', '/apps');
  expect([answer.status, answer.headers.get('retry-after'), typeof answer.json.message]).toEqual([
    status,
    retryAfter,
    'string',
  ]);
});

test.each([
  ['reset-before', 0, false],
  ['reset-during', 1, true],
  ['reset-after', 1, true],
  ['truncated', 1, true],
])('%s breaks the connection after %i apps were created', async (fault, made) => {
  const { emulator, ask } = await platform();
  emulator.fail('createApp', fault);
  await expect(ask('POST', '/apps', { name: 'web' })).rejects.toThrow(TypeError);
  expect(emulator.store.apps.size).toBe(made);
  expect((await ask('GET', '/apps')).status).toBe(200);
});

test.each([
  ['malformed', 200, 'application/json', '{"id": "p-1234', 1],
  ['empty', 200, 'application/json', '', 1],
  ['html', 502, 'text/html', expect.stringContaining('<h1>502 Bad Gateway</h1>'), 0],
])('%s replies with an unusable body', async (fault, status, type, text, made) => {
  const { emulator, ask } = await platform();
  emulator.fail('createApp', fault);
  const answer = await ask('POST', '/apps', { name: 'web' });
  expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([status, type, text]);
  expect(emulator.store.apps.size).toBe(made);
});

test('a stalled request ends with the emulator', async () => {
  const { emulator, ask } = await platform();
  emulator.fail('listApps', 'stall');
  const answer = ask('GET', '/apps').catch((error) => error.name);
  await expect.poll(() => emulator.calls.length).toBe(1);
  expect(await Promise.race([answer, setImmediate('waiting')])).toBe('waiting');
  await emulator.close();
  expect(await answer).toBe('TypeError');
});

async function upload(fault: string) {
  const all = await platform();
  const { json } = await all.ask('POST', '/apps', { name: 'web' });
  all.emulator.fail('upload', fault);
  const status = async () => (await all.ask('GET', `/apps/p-12345678-web/builds/${json.buildId}`)).json.status;
  return { ...all, status, send: () => all.put(json.uploadUrl, archive) };
}

test.each([
  ['503:1', 503, '<Code>ServiceUnavailable</Code>', 'pending'],
  ['expired', 403, 'Request has expired', 'pending'],
  ['wrong-etag', 200, '', 'success'],
])('an upload with %s', async (fault, code, text, build) => {
  const { send, status } = await upload(fault);
  const response = await send();
  expect([response.status, await response.text()]).toEqual([code, expect.stringContaining(text)]);
  expect(response.headers.get('etag')).toBe(fault === 'wrong-etag' ? `"${'0'.repeat(32)}"` : null);
  expect(await status()).toBe(build);
});

test.each([
  ['reset-before', 'pending'],
  ['reset-during', 'pending'],
  ['reset-after', 'success'],
  ['truncated', 'success'],
])('an upload with %s leaves its build %s, and can be retried', async (fault, build) => {
  const { send, status } = await upload(fault);
  await expect(send().then((response) => response.text())).rejects.toThrow(TypeError);
  expect(await status()).toBe(build);
  expect((await send()).status).toBe(200);
  expect(await status()).toBe('success');
});

test.each([
  ['build_failure', 'build_failure', 'no matching distribution'],
  ['init_failure', 'init_failure', 'ModuleNotFoundError'],
  ['init_timeout', 'init_timeout', 'deployment_initialization_timeout'],
])('a build with %s ends as %s', async (fault, status, reason) => {
  const { emulator, ask, deploy } = await platform();
  emulator.fail('build', fault);
  const { build } = await deploy();
  expect((await ask('GET', build)).json).toMatchObject({ status, initError: expect.stringContaining(reason) });
  expect((await ask('GET', (await deploy()).build)).json.status).toBe('success');
});

test('a slow build runs until it is canceled', async () => {
  const { emulator, ask, deploy, clock } = await platform();
  emulator.fail('build', 'slow');
  const { build } = await deploy();
  clock.now += 24 * 60 * 60 * 1000;
  expect((await ask('GET', build)).json.status).toBe('building');
  expect((await ask('DELETE', build)).status).toBe(200);
  expect((await ask('GET', build)).json.status).toBe('cancelled');
});

test('an unknown status is returned once', async () => {
  const { emulator, ask, deploy } = await platform();
  emulator.fail('build', 'unknown-status');
  const { build } = await deploy();
  const look = async () => (await ask('GET', build)).json.status;
  expect([await look(), await look()]).toEqual(['polishing', 'success']);
});

test('a hostile log has control sequences, workflow commands and a very long line', async () => {
  const { emulator, deploy, logOf } = await platform();
  emulator.fail('build', 'hostile-log');
  const log = (await logOf((await deploy()).build)).join('\n');
  for (const trick of ['\u001b]0;', '\u001b]52;', '\u001b[2J', '\u009b', '\n::error ', 'x'.repeat(100_000)]) {
    expect(log).toContain(trick);
  }
});

test('refuses an invalid fault, and lists the valid ones', async () => {
  const { emulator } = await platform();
  expect(() => emulator.fail('getApp', 'expired')).toThrow(
    'invalid fault "expired" for getApp: expected one of 503, 429:2, 429:date+2, none, reset-before,',
  );
  expect(() => emulator.fail('upload', 503, 'explode')).toThrow(/503, 429:2, .*expired, .*wrong-etag, no-etag$/);
  expect(() => emulator.fail('build', 503)).toThrow(
    new RangeError(`invalid fault "503" for build: expected one of ${Object.keys(faults.build).join(', ')}`),
  );
});

test('parses a target and its faults from the command line', () => {
  expect(parseFaultOption('upload=503,429:2, reset-during*')).toEqual({
    target: 'upload',
    faults: ['503', '429:2', 'reset-during*'],
  });
  for (const text of ['upload', 'nothing=503'])
    expect(() => parseFaultOption(text)).toThrow(/targets: .*createApp, .*, build$/);
  for (const text of ['upload=', 'upload=503,', 'upload=200'])
    expect(() => parseFaultOption(text)).toThrow('for upload: expected one of');
});

describe('what is late', () => {
  const lateMs = 300;

  /** An app, and once it shows, a build, a run and a line of that moment. Replies to a request then, and once they show. */
  async function looks() {
    const { emulator, clock, deploy, ask } = await platform({ late: lateMs });
    const { path } = await deploy();
    const created = clock.now;
    clock.now += lateMs;
    const { build } = await deploy();
    emulator.store.runs.set('run-1', runOf(emulator, { id: 'run-1', createdAt: clock.now }));
    emulator.logs.add(`${emulator.project}-web`, { container: 'web-1', stream: 'stdout', text: 'hello', run: 'run-1' });
    const twice = async (route: string, from = created + lateMs) => {
      clock.now = from;
      const first = await ask('GET', route);
      clock.now = from + lateMs;
      return [first, await ask('GET', route)] as const;
    };
    return { path, build, created, twice };
  }

  test('an app is denied, a build and a run are not found, until they show', async () => {
    const { path, build, created, twice } = await looks();
    expect((await twice(path, created)).map(({ status }) => status)).toEqual([403, 200]);
    expect((await twice(build)).map(({ status }) => status)).toEqual([404, 200]);
    expect((await twice(`${path}/runs/run-1`)).map(({ status }) => status)).toEqual([404, 200]);
  });

  test('lists and logs are as they were', async () => {
    const { path, twice } = await looks();
    const items = ({ json }: { json?: { items?: unknown[]; logs?: unknown[] } }) =>
      [json?.items ?? json?.logs ?? []].flat().length;
    expect((await twice(`${path}/runs`)).map(items)).toEqual([0, 1]);
    expect((await twice(`${path}/logs`)).map(items)).toEqual([0, 1]);
    expect((await twice(`${path}/containers`)).map(({ json }) => json.length)).toEqual([0, 1]);
  });
});

test('a list without items may be null', async () => {
  const { emulator, ask } = await platform();
  emulator.fail('listApps', 'null');
  expect([(await ask('GET', '/apps')).text, (await ask('GET', '/apps')).text]).toEqual(['null', '[]']);
});
