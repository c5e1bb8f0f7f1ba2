import { expect, test } from 'vitest';
import { platform } from './support/platform.ts';

test('issues a JWT with the project and its expiry', async () => {
  const { emulator, clock } = await platform({ project: 'p-abcdefgh' });
  const claims = JSON.parse(Buffer.from(emulator.token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ project_id: 'p-abcdefgh', iat: clock.now / 1000 });
  expect(claims.exp).toBeGreaterThan(claims.iat);
});

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

test('a token expires', async () => {
  const { ask, clock } = await platform();
  expect((await ask('GET', '/apps')).status).toBe(200);
  clock.now += 366 * 24 * 60 * 60 * 1000;
  expect(await ask('GET', '/apps')).toMatchObject({ status: 401, json: { message: 'token has expired' } });
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
