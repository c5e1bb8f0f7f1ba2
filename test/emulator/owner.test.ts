import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createOwnerCheck } from '../../src/emulator/http/owner-check.ts';
import { startEmulator } from '../../src/emulator/index.ts';
import { newFolder, platform } from './support/platform.ts';

const linux = process.platform === 'linux';
const root = process.getuid?.() === 0;

/** Calls are simulated: who may call does not depend on what runs. */
async function dev(settings: object) {
  const { emulator, deploy } = await platform({ now: Date.now, trustOwner: true, real: false });
  await deploy(settings);
  const url = `${emulator.url}/v4/${emulator.project}/web/run`;
  const call = async (headers: Record<string, string> = {}) =>
    (await fetch(url, { method: 'POST', body: '{}', headers })).status;
  return { emulator, url, call, token: { authorization: `Bearer ${emulator.token}` } };
}

/** The status that another user of this machine gets. */
async function callAs(uid: number, url: string, headers: object = {}): Promise<number> {
  const script = `fetch(process.argv[1], { method: 'POST', body: '{}', headers: JSON.parse(process.argv[2]) })
    .then(({ status }) => console.log(status))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, url, JSON.stringify(headers)], {
    uid,
    gid: uid,
    cwd: '/',
    env: {},
  });
  return Number(stdout);
}

describe.runIf(linux)('an emulator that trusts its owner', () => {
  test('lets the owner call a private app without a token, but not with a wrong one', async () => {
    const { call, token, emulator } = await dev({ disableAuth: false });
    expect(emulator.trustsOwner).toBe(true);
    expect(await call()).toBe(200);
    expect(await call(token)).toBe(200);
    expect(await call({ authorization: 'Bearer nonsense' })).toBe(401);
  });

  test.skipIf(!root).each([true, false])(
    'refuses other users of the machine without a token, disable_auth = %s (needs root)',
    async (disableAuth) => {
      const { url, token } = await dev({ disableAuth });
      expect(await callAs(4321, url)).toBe(401);
      expect(await callAs(4321, url, { authorization: 'Basic bWU6bWU=' })).toBe(401);
      expect(await callAs(4321, url, token)).toBe(200);
    },
  );

  test.skipIf(!root)('does not mistake a caller who has left for the owner (needs root)', async () => {
    const { url, emulator } = await dev({ disableAuth: true });
    const { port, pathname } = new URL(url);
    // Sends the request and resets the connection at once.
    const script = `
      const socket = require('net').connect(${port}, '127.0.0.1', () => {
        socket.write('POST ${pathname} HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nContent-Length: 2\\r\\n\\r\\n{}', () => socket.resetAndDestroy());
      });`;
    for (let tries = 0; tries < 5; tries++) {
      await promisify(execFile)(process.execPath, ['-e', script], { uid: 4321, gid: 4321, cwd: '/', env: {} });
    }
    expect([...emulator.store.runs.values()]).toEqual([]);
  });

  test('does not take the page of an old browser for the owner', async () => {
    const { call } = await dev({ disableAuth: false });
    const browser = { 'user-agent': 'Mozilla/5.0 (old)' };
    expect(await call(browser)).toBe(401);
    expect(await call({ ...browser, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await call({ ...browser, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await call({ origin: 'http://evil.example' })).toBe(403);
  });

  test('knows callers by sockets of IPv6 as well', async () => {
    const { url } = await dev({ disableAuth: false });
    const { port, pathname } = new URL(url);
    const socket = connect({ port: Number(port), host: '::ffff:127.0.0.1' });
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 200/);
  });

  test('trusts nobody where the system lists no users, or other ones', async () => {
    const emulator = await startEmulator();
    const port = Number(new URL(emulator.url).port);
    expect(await createOwnerCheck(port)).toBeTypeOf('function');
    expect(await createOwnerCheck(port, '/nonexistent')).toBeUndefined();
    const tcp = readFileSync('/proc/self/net/tcp', 'latin1');
    expect(await createOwnerCheck(port, newFolder({ tcp }))).toBeUndefined();
    await emulator.close();
  });
});

test('an emulator that does not trust its owner asks everybody for a token', async () => {
  const { emulator, deploy } = await platform({ now: Date.now, real: false });
  await deploy({ disableAuth: false });
  const reply = await fetch(`${emulator.url}/v4/${emulator.project}/web/run`, { method: 'POST', body: '{}' });
  expect([emulator.trustsOwner, reply.status]).toEqual([false, 401]);
});
