import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { type DeviceAuthorization, oauthClientId } from '../../src/platform/contract/session.ts';
import { newFolder, platform, speaking } from './support/platform.ts';

describe('a device login', () => {
  test('gets a URL, a code, an expiry and a polling interval', async () => {
    const { emulator, begin } = await device();
    const { device_code, user_code, ...rest } = await begin();
    expect(user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(device_code).toMatch(/^[\w-]{32}$/);
    expect(rest).toEqual({
      verification_uri: `${emulator.url}/activate`,
      verification_uri_complete: `${emulator.url}/activate?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    });
  });

  test("waits for the owner's approval, and gets tokens once", async () => {
    const { begin, poll, clock, emulator, approve } = await device();
    const { device_code, user_code } = await begin();
    expect(await poll(device_code)).toMatchObject({ status: 400, error: 'authorization_pending' });
    expect(await approve({ user_code })).toEqual({ status: 200, text: expect.stringContaining('You are logged in') });
    clock.now += 5_000;
    const { status, accessToken, refreshToken } = await poll(device_code);
    expect(status).toBe(200);
    expect([...emulator.store.sessions.keys()]).toEqual([refreshToken]);
    expect(accessToken.split('.')).toHaveLength(3);
    clock.now += 5_000;
    expect(await poll(device_code)).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  test.each([
    ['after ten minutes', 'expired_token'],
    ['if it is denied', 'access_denied'],
    ['with an unknown code', 'invalid_grant'],
  ])('%s gets %s', async (when, error) => {
    const { begin, poll, clock, emulator } = await device();
    const { device_code } = await begin();
    const known = emulator.store.devices.get(device_code);
    if (when.includes('minutes')) clock.now += 600_000;
    else if (when.includes('denied') && known) known.state = 'denied';
    expect(await poll(when.includes('unknown') ? 'x' : device_code)).toMatchObject({ status: 400, error });
  });

  test('is not approved by opening its page', async () => {
    const { begin, poll, emulator } = await device();
    const { device_code, user_code, verification_uri_complete } = await begin();
    const page = await fetch(verification_uri_complete);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`<strong>${user_code}</strong>`)]);
    await fetch(`${verification_uri_complete}&secret=${emulator.approvalSecret}&action=approve`);
    expect(await poll(device_code)).toMatchObject({ error: 'authorization_pending' });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect((await fetch(verification_uri_complete, { method: 'PUT' })).status).toBe(405);
  });

  test.each([undefined, '', 'wrong', 'x'.repeat(32)])('is not approved with the secret %j', async (secret) => {
    const { begin, poll, approve } = await device();
    const { device_code, user_code } = await begin();
    expect((await approve({ user_code, secret: secret ?? '' })).status).toBe(403);
    expect(await poll(device_code)).toMatchObject({ error: 'authorization_pending' });
  });

  test('can be denied, and its code is case-insensitive', async () => {
    const { begin, poll, approve } = await device();
    const { device_code, user_code } = await begin();
    expect((await approve({ user_code: ` ${user_code.toLowerCase()}`, action: 'deny' })).status).toBe(200);
    expect(await poll(device_code)).toMatchObject({ error: 'access_denied' });
  });

  test('cannot be approved after its code has expired', async () => {
    const { begin, approve, clock } = await device();
    const { user_code } = await begin();
    clock.now += 600_000;
    expect((await approve({ user_code })).status).toBe(404);
  });

  test("uses the secret that the emulator's start URL stored in the browser", async () => {
    const { begin, emulator } = await device();
    const kept = new Map<string, string>();
    const { verification_uri_complete } = await begin();
    expect(await secretOn(verification_uri_complete, kept)).toEqual({ value: '', known: false });
    expect(await secretOn(emulator.approvalAddress, kept)).toEqual({ value: emulator.approvalSecret, known: true });
    expect(await secretOn(verification_uri_complete, kept)).toEqual({ value: emulator.approvalSecret, known: true });
  });

  test('with an unknown code is not found', async () => {
    const { emulator } = await device();
    expect((await fetch(`${emulator.url}/activate?user_code=XXXX-XXXX`)).status).toBe(404);
  });
});

describe('what another user collected on the port while the emulator was stopped', () => {
  const restarted = async () => {
    const data = join(newFolder(), 'data');
    const { emulator, logIn } = await device(data);
    const { accessToken, refreshToken } = await logIn();
    const { token, approvalSecret } = emulator;
    emulator.store.save();
    await emulator.close();
    return { stolen: { token, accessToken, refreshToken, approvalSecret }, ...(await device(data)) };
  };

  test('tokens and refresh tokens are invalid after the restart, with a reason', async () => {
    const { stolen, emulator, renew } = await restarted();
    for (const token of [stolen.token, stolen.accessToken]) {
      const { status, text } = await speaking({ ...emulator, token }).ask('GET', '/apps');
      expect([status, text]).toEqual([401, expect.stringContaining('issued before the emulator restarted')]);
    }
    expect(await renew({ refresh_token: stolen.refreshToken })).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect((await speaking(emulator).ask('GET', '/apps')).status).toBe(200);
  });

  test('the approval secret is invalid', async () => {
    const { stolen, emulator, begin, approve } = await restarted();
    expect(emulator.approvalSecret).not.toBe(stolen.approvalSecret);
    const { user_code } = await begin();
    await expect(approve({ user_code, secret: stolen.approvalSecret })).toAnswer(403, 'a new one after each start');
  });

  test('a signed URL has expired', async () => {
    const data = join(newFolder(), 'data');
    const first = await platform({ data });
    const { json } = await first.ask('POST', '/apps', { name: 'web' });
    await first.emulator.close();
    const { emulator, put } = await platform({ data });
    const answer = await put(json.uploadUrl.replace(first.emulator.url, emulator.url), Buffer.from('x'));
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Request has expired')]);
  });
});

describe('the tokens of a login', () => {
  test('are valid for every project for four hours', async () => {
    const { emulator, clock, logIn, ask } = await device();
    emulator.store.projects.push('p-second01');
    const { accessToken } = await logIn();
    for (const project of emulator.store.projects) expect((await ask(project, accessToken)).status).toBe(200);
    expect((await ask('p-nowhere', accessToken)).status).toBe(404);
    clock.now += 4 * 3_600_000;
    expect((await ask(emulator.project, accessToken)).status).toBe(401);
  });

  test('can be renewed by a form until they are revoked', async () => {
    const { emulator, clock, logIn, renew, ask } = await device();
    const { refreshToken } = await logIn();
    clock.now += 24 * 3_600_000;
    const { status, access_token } = await renew({ refresh_token: refreshToken });
    expect([status, (await ask(emulator.project, access_token)).status]).toEqual([200, 200]);
    emulator.store.sessions.delete(refreshToken);
    expect(await renew({ refresh_token: refreshToken })).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  test.each([
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ client_id: 'somebody' }, 'invalid_client'],
    [{ refresh_token: 'made-up' }, 'invalid_grant'],
  ])('are not renewed with %j: %s', async (wrong, error) => {
    const { logIn, renew } = await device();
    const { refreshToken } = await logIn();
    expect(await renew({ refresh_token: refreshToken, ...wrong })).toMatchObject({ status: 400, error });
  });

  test('end with a restart, and are not recorded', async () => {
    const data = join(newFolder(), 'data');
    const { emulator, logIn, renew } = await device(data);
    const { refreshToken } = await logIn();
    await renew({ refresh_token: refreshToken });
    expect(JSON.stringify(emulator.calls)).not.toContain(refreshToken);
    await emulator.close();
    const again = await startEmulator({ data });
    expect([...again.store.sessions.keys()]).toEqual([]);
    expect(readFileSync(join(data, 'state.json'), 'utf8')).not.toContain(refreshToken);
    await again.close();
  });
});

interface Fields {
  deviceAuthResponsePayload: DeviceAuthorization;
  accessToken: string;
  refreshToken: string;
  access_token: string;
  error?: string;
}

/** Runs a page's script as a browser would, and returns the value of the secret field. */
async function secretOn(address: string, kept: Map<string, string>) {
  const page = await (await fetch(address)).text();
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
  const fields = { secret: { value: '' }, help: { textContent: '' } };
  runInNewContext(script, {
    URLSearchParams,
    location: new URL(address),
    history: { replaceState: () => {} },
    localStorage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
    },
    document: { getElementById: (id: keyof typeof fields) => fields[id] },
  });
  return { value: fields.secret.value, known: fields.help.textContent.includes('knows the secret') };
}

async function device(data?: string) {
  const { emulator, clock } = await platform({ data });
  const post = async (path: string, body: string | URLSearchParams) => {
    const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await fetch(emulator.url + path, { method: 'POST', headers, body });
    return { status: response.status, ...((await response.json()) as Fields) };
  };
  const begin = async () => {
    const device = (await post('/device-authorization', '{}')).deviceAuthResponsePayload;
    return { ...device, verification_uri_complete: device.verification_uri_complete ?? '' };
  };
  const approve = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ secret: emulator.approvalSecret, ...fields });
    const response = await fetch(`${emulator.url}/activate`, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };
  const poll = (device_code: string) => post('/token', JSON.stringify({ device_code }));
  return {
    emulator,
    clock,
    begin,
    poll,
    approve,
    async logIn() {
      const { device_code, user_code } = await begin();
      await approve({ user_code });
      return poll(device_code);
    },
    renew: (fields: Record<string, string>) =>
      post('/oauth2/token', new URLSearchParams({ grant_type: 'refresh_token', client_id: oauthClientId, ...fields })),
    ask: (project: string, token: string) =>
      fetch(`${emulator.url}/v2/projects/${project}/apps`, { headers: { authorization: `Bearer ${token}` } }),
  };
}
