import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { faults } from '../../src/emulator/index.ts';
import { runOf } from '../support/runs.ts';
import { platform } from './support/platform.ts';

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

test('a stalled request ends with the emulator', async () => {
  const { emulator, ask } = await platform();
  emulator.fail('listApps', 'stall');
  const answer = ask('GET', '/apps').catch((error) => error.name);
  await expect.poll(() => emulator.calls.length).toBe(1);
  expect(await Promise.race([answer, setImmediate('waiting')])).toBe('waiting');
  await emulator.close();
  expect(await answer).toBe('TypeError');
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
