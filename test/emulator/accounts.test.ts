import { expect, test } from 'vitest';
import { newFolder, platform } from './support/platform.ts';

test('lists keys by expiry, those that never expire last', async () => {
  const { ask } = await platform();
  const { json } = await ask('GET', '/api-keys');
  expect(json.map((key: { expiresAt: string }) => key.expiresAt)).toEqual([
    ...['2026-10-11T09:30:00.000Z', '2026-12-02T21:30:00.000Z', '2027-06-08T21:30:00.000Z', 'never'],
  ]);
});

test('two emulators have different keys: nobody can predict them', async () => {
  const [one, other] = [await platform(), await platform()];
  const [own, others] = [(await one.ask('GET', '/api-keys')).json, (await other.ask('GET', '/api-keys')).json];
  for (const [index, { apiKey }] of own.entries()) expect(apiKey).not.toBe(others[index].apiKey);
});

test('replaces all grants, and requires at least one', async () => {
  const { ask } = await platform();
  const set = (grants: unknown) => ask('PATCH', '/service-accounts/sa-ci', { grants });
  expect((await set(['p-2', 'p-3'])).json).toEqual({ serviceAccountId: 'sa-ci' });
  const { serviceAccounts } = (await ask('GET', '/service-accounts')).json;
  expect(serviceAccounts[0].grants).toEqual(['p-2', 'p-3']);
  const none = await set([]);
  expect([none.status, none.json.message]).toEqual([400, 'grants: must contain at least one project']);
  expect((await set('p-2')).status).toBe(400);
});

test('replies 404 for unknown ids and 400 for invalid bodies, with a message', async () => {
  const { ask } = await platform();
  const unknown = await ask('PATCH', '/service-accounts/sa-none', { grants: ['p-1'] });
  expect([unknown.status, unknown.json]).toEqual([404, { message: 'service account sa-none not found' }]);
  for (const body of [{ planCode: 'gold' }, {}]) {
    const { status, json } = await ask('PATCH', '/subscription', body);
    expect([status, json]).toEqual([400, { message: expect.stringContaining('planCode') }]);
  }
  for (const body of [{ emailAddress: 'ada', role: 'member' }, { emailAddress: 'a@b.co', role: '' }, {}]) {
    const { status, json } = await ask('POST', '/users', body);
    expect([status, json]).toEqual([400, { message: expect.stringMatching(/emailAddress|role/) }]);
  }
});

test('an invitation survives a restart but not a reset', async () => {
  const data = newFolder();
  const first = await platform({ data });
  await first.ask('POST', '/users', { emailAddress: 'new@example.com', role: 'member' });
  await first.emulator.close();
  const { ask, emulator } = await platform({ data });
  expect((await ask('GET', '/users')).text).toContain('new@example.com');
  emulator.reset();
  expect((await ask('GET', '/users')).text).not.toContain('new@example.com');
});
