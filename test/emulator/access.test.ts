import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { platform } from './support/platform.ts';

test.each([
  ['nothing', () => undefined, 'missing'],
  ['no bearer', () => 'Basic dXNlcjpwYXNz', 'malformed'],
  ['a token of two parts', () => 'Bearer a.b', 'malformed'],
  ['a token of somebody else', (token: string) => `Bearer ${token.slice(0, -4)}AAAA`, 'has an invalid signature'],
])('%s is refused with 401', async (_, header, message) => {
  const { emulator } = await platform();
  const authorization = header(emulator.token);
  const response = await fetch(`${emulator.url}/v2/projects/${emulator.project}/apps`, {
    headers: authorization ? { authorization } : {},
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ message: expect.stringContaining(message) });
});

test('replies 404 for an unknown project, 403 for one that the token cannot access', async () => {
  const { emulator, ask } = await platform();
  const authorization = `Bearer ${emulator.issueToken({ project_id: 'p-other' })}`;
  expect((await ask('GET', '/apps', undefined, { authorization })).status).toBe(403);
  const response = await fetch(`${emulator.url}/v2/projects/p-other/apps`, { headers: { authorization } });
  expect(response.status).toBe(404);
});

test('every reply has a request id, and 404 for an unknown route has a message', async () => {
  const { ask } = await platform();
  const { status, headers, json } = await ask('GET', '/nothing');
  expect(status).toBe(404);
  expect(headers.get('x-request-id')).toBe('req-1');
  expect(json.message).toMatch('route not found: GET /v2/projects/p-12345678/nothing');
});

describe('a service account', () => {
  /** A seeded project whose app is private, with the keys of its service accounts. */
  const withKeys = async () => {
    const speaking = await platform({ seed: 1, real: false });
    const { emulator, ask } = speaking;
    const keys = (await ask('GET', '/api-keys')).json as { id: string; apiKey: string }[];
    const key = (id: string) => keys.find((one) => one.id === id)?.apiKey ?? '';
    const manage = async (token: string, path = `/v2/projects/${emulator.project}/apps`) => {
      const answer = await fetch(emulator.url + path, { headers: { authorization: `Bearer ${token}` } });
      return { status: answer.status, json: (await answer.json()) as { message: string } };
    };
    const call = async (token: string, app = 'web') =>
      (
        await fetch(`${emulator.url}/v4/${emulator.project}/${app}/predict`, {
          method: 'POST',
          body: '{}',
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    const grant = (...grants: string[]) => ask('PATCH', '/service-accounts/sa-ci', { grants });
    return { ...speaking, key, manage, call, grant };
  };

  test('manages the project and calls private apps with a listed key, while it has the grant', async () => {
    const { key, manage, call, grant, emulator } = await withKeys();
    const token = key('key-2');
    expect([(await manage(token)).status, await call(token)]).toEqual([200, 200]);
    await grant('p-elsewhere');
    const { status, json } = await manage(token);
    expect([status, json.message]).toEqual([403, 'service account ci has no access to project p-12345678']);
    expect(await call(token)).toBe(403);
    await grant(emulator.project, 'p-elsewhere');
    expect([(await manage(token)).status, await call(token)]).toEqual([200, 200]);
  });

  test('has access to every project of its grants, and sees no others', async () => {
    const { key, manage, emulator, grant } = await withKeys();
    emulator.store.projects.push('p-second01', 'p-third001');
    await grant('p-second01');
    expect((await manage(key('key-2'), '/v2/projects/p-second01/apps')).status).toBe(200);
    expect((await manage(key('key-2'), '/v2/projects/p-third001/apps')).status).toBe(403);
    expect((await manage(key('key-2'), '/v2/projects')).json).toEqual([expect.objectContaining({ id: 'p-second01' })]);
  });

  test('is refused with an expired, a revoked or an inactive key', async () => {
    const { key, manage, call, emulator } = await withKeys();
    expect([(await manage(key('key-3'))).status, await call(key('key-3'))]).toEqual([401, 401]);
    const account = emulator.store.accounts.get(emulator.project);
    Object.assign(account?.keys.find(({ id }) => id === 'key-2') ?? {}, { status: 'revoked' });
    expect((await manage(key('key-2'))).json.message).toBe('the key deploys-2026 is revoked');
    account?.keys.splice(0);
    expect((await manage(key('key-4'))).status).toBe(401);
  });

  test('is not impersonated by the key for calls, which manages nothing', async () => {
    const { key, manage, call } = await withKeys();
    expect([(await manage(key('key-1'))).status, await call(key('key-1'))]).toEqual([403, 200]);
  });

  test('needs a grant for live logs as well', async () => {
    const { key, grant, emulator } = await withKeys();
    await grant('p-elsewhere');
    const query = new URLSearchParams({ projectID: emulator.project, token: key('key-2'), appID: 'p-12345678-web' });
    const headers = { connection: 'upgrade', upgrade: 'websocket' };
    const status = await new Promise((resolve) => {
      request(`${emulator.url}/ws-logs?${query}`, { headers })
        .on('response', ({ statusCode }) => resolve(statusCode))
        .end();
    });
    expect(status).toBe(403);
  });
});
