import { describe, expect, test } from 'vitest';
import { platform } from './support/platform.ts';
import { sendRaw } from './support/raw.ts';
import { python, running } from './support/running.ts';

describe('a request target', () => {
  test.each([
    ['GET //', 404],
    ['GET //evil.example/index.json', 404],
    ['GET /\\evil', 404],
    ['GET /a?%', 404],
    ['GET /v2/projects/%ff/apps', 400],
    ['GET /v2/projects/%00/apps', 401],
    ['GET http://[::1', 400],
    ['GET http://127.0.0.1/index.json', 400],
    ['OPTIONS *', 400],
    ['GET *', 400],
    ['PROPFIND /index.json', 404],
    ['TRACE /index.json', 404],
    ['DELETE /index.json', 404],
    ['HEAD /index.json', 404],
    ['NONSENSE /', 400],
    ['GET index.json', 400],
  ])('%s gets %i', async (line, status) => {
    const { emulator } = await platform();
    const { host } = new URL(emulator.url);
    const answer = await sendRaw(emulator.url, [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close']);
    expect(answer.status).toBe(status);
    // The emulator still works.
    expect((await fetch(`${emulator.url}/index.json`)).status).toBe(200);
  });

  test.each([
    ['that is too long', `GET /index.json?${'x'.repeat(20_000)} HTTP/1.1`, 431],
    ['of an unknown method', 'NONSENSE / HTTP/1.1', 400],
    ['of another protocol', 'hello', 400],
  ])('%s is refused', async (_, line, status) => {
    const { emulator } = await platform();
    const answer = await sendRaw(emulator.url, [line, `Host: ${new URL(emulator.url).host}`]);
    expect(answer.status).toBe(status);
  });

  test('of a WebSocket gets a reply as well', async () => {
    const { emulator } = await platform();
    const { host } = new URL(emulator.url);
    for (const target of ['//', '*', '/v1/applogs?after=x', '/v1/applogs']) {
      const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'];
      expect((await sendRaw(emulator.url, lines)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('settings', () => {
  test.each([
    [{ responseGracePeriodSeconds: 43_201 }, 'responseGracePeriodSeconds must be between 16 and 43200'],
    [{ responseGracePeriodSeconds: 3_000_000 }, 'responseGracePeriodSeconds'],
    [{ responseGracePeriodSeconds: 1 }, 'responseGracePeriodSeconds'],
    [{ cpu: '1e999' }, 'cpu'],
    [{ cpu: 'many' }, 'cpu: Invalid type'],
    [{ compute: 'NONE' }, 'unknown compute type: NONE'],
    [{ compute: 7 }, 'compute'],
    [{ minReplicaCount: 1e300 }, 'minReplicaCount must be a non-negative integer'],
    [[], 'the body must be a JSON object'],
    [null, 'the body must be a JSON object'],
    ['text', 'the body is not valid JSON'],
  ])('changed to %j are refused with a message', async (body, message) => {
    const { ask, deploy } = await platform();
    const { path } = await deploy();
    const before = (await ask('GET', path)).json;
    await expect(ask('PATCH', path, body)).toAnswer(400, message);
    expect((await ask('GET', path)).json).toEqual(before);
  });

  test('can be changed with compute, cpu and memory as text', async () => {
    const { ask, deploy } = await platform();
    const { path } = await deploy();
    const changes = { compute: 'ADA_L4', gpuCount: 1, cpu: '4', memory: '16', name: 'other', nonsense: {} };
    expect((await ask('PATCH', path, changes)).status).toBe(200);
    expect((await ask('GET', path)).json).toMatchObject({ hardware: 'ADA_L4', cpu: '4', memory: '16', name: 'web' });
  });

  test('that are unknown are not stored, however deep', async () => {
    const { ask, emulator } = await platform();
    const deep = `{"name":"web","more":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await ask('POST', '/apps', deep)).status).toBe(200);
    expect(emulator.store.apps.get('p-12345678-web')?.settings).not.toHaveProperty('more');
  });
});

test.each([
  ['/runs/charts?aggregate=perhaps', 'aggregate'],
  [`/runs?nextToken=${Buffer.from(`${'9'.repeat(400)}/x`).toString('base64url')}`, undefined],
  ['/runs?asyncOnly=1x', 'asyncOnly'],
])('an invalid query of %s gets a reply', async (path, wrong) => {
  const { ask } = await platform({ seed: 1 });
  const { status, json } = await ask('GET', `/apps/p-12345678-web${path}`);
  expect(status).toBe(wrong ? 400 : 200);
  if (wrong) expect(json.message).toContain(wrong);
});

test.each<[string, number]>([
  ['text/plain;charset=UTF-8', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/jsonp', 415],
  ['', 415],
  ['application/json; charset=utf-8', 200],
  ['application/merge-patch+json', 200],
])('a change of content type %j gets %i', async (type, status) => {
  const { ask, deploy } = await platform();
  const { path } = await deploy();
  const reply = await ask('PATCH', path, { minReplicaCount: 1 }, { 'content-type': type });
  expect(reply.status).toBe(status);
  if (status === 415) expect(reply.json.message).toBe(`the body must be application/json, not ${type || '""'}`);
  expect(Number((await ask('GET', path)).json.minReplicaCount)).toBe(status === 415 ? 0 : 1);
});

test('a change without a content type is JSON', async () => {
  const { emulator, deploy } = await platform();
  const { path } = await deploy();
  const body = new Uint8Array(Buffer.from('{"minReplicaCount":1}'));
  const headers = { authorization: `Bearer ${emulator.token}` };
  const url = `${emulator.url}/v2/projects/${emulator.project}${path}`;
  expect((await fetch(url, { method: 'PATCH', headers, body })).status).toBe(200);
});

test('a body over 16 MiB is refused, with or without content-length', async () => {
  const { ask, emulator } = await platform();
  const large = JSON.stringify({ name: 'x'.repeat(16 << 20) });
  expect((await ask('POST', '/apps', large)).status).toBe(413);
  async function* pieces() {
    for (let at = 0; at < 17; at += 1) yield Buffer.alloc(1 << 20, 0x20);
  }
  const url = `${emulator.url}/v2/projects/${emulator.project}/apps`;
  const headers = { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: pieces() as never, duplex: 'half' } as RequestInit);
  expect(answer.status).toBe(413);
});

test('a secret with a NUL is refused', async () => {
  const { ask } = await platform();
  await expect(ask('PATCH', '/secrets', { KEY: 'a\0b' })).toAnswer(400, 'secret KEY must not contain NUL');
});

test('the app of a one-off run must be given by its id', async () => {
  const { emulator } = await platform();
  const create = (app: string) =>
    fetch(`${emulator.url}/v3/projects/${emulator.project}/apps/${app}/create-run-app`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.token}` },
    });
  expect((await create('job')).status).toBe(400);
  expect((await create(`${emulator.project}-${'j'.repeat(31)}`)).status).toBe(400);
  expect((await create(`${emulator.project}-job`)).status).toBe(200);
});

describe.skipIf(!python)('an app (needs python3)', () => {
  test("supports a timeout longer than a timer's maximum", async () => {
    const { emulator, call, id } = await running();
    const { settings } = emulator.store.apps.get(id) ?? {};
    Object.assign(settings ?? {}, { responseGracePeriodSeconds: 3_000_000, cooldownPeriodSeconds: 3_000_000 });
    expect((await call('run', { name: 'Ada' })).status).toBe(200);
  });

  test('that cannot start because of its environment is not reported as a bug', async () => {
    const { emulator, call } = await running();
    emulator.store.secrets.set(emulator.project, { LARGE: 'x'.repeat(3 << 20) });
    await expect(call('run', { name: 'Ada' })).toAnswer(503, 'cannot start');
  });
});
