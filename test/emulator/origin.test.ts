import { describe, expect, test } from 'vitest';
import { platform } from './support/platform.ts';
import { sendRaw } from './support/raw.ts';
import { python, running } from './support/running.ts';

/** Sends a request with these headers on a new connection. */
async function request(url: string, target: string, headers: Record<string, string>, method = 'GET', body = '') {
  const all = { Host: new URL(url).host, Connection: 'close', 'Content-Length': `${body.length}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return sendRaw(url, [`${method} ${target} HTTP/1.1`, ...lines], body);
}

describe('the Host header', () => {
  test.each(['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])('may name this machine as %s', async (name) => {
    const { emulator } = await platform();
    const { port } = new URL(emulator.url);
    expect((await request(emulator.url, '/index.json', { Host: `${name}:${port}` })).status).toBe(200);
  });

  test.each([
    'evil.example:PORT',
    'localhost.evil.example:PORT',
    '127.0.0.1.nip.io:PORT',
    'localhost',
    'localhost:1',
    'a@localhost:PORT',
    '0.0.0.0:PORT',
    '',
  ])('of %j is refused for every path', async (host) => {
    const { emulator } = await platform();
    const Host = host.replace('PORT', new URL(emulator.url).port);
    for (const [method, target] of [
      ['GET', '/index.json'],
      ['GET', '/activate'],
      ['POST', '/activate'],
      ['POST', '/device-authorization'],
      ['POST', '/v4/p-12345678/web/run'],
      ['PUT', '/storage/x.zip'],
      ['OPTIONS', '*'],
    ] as const) {
      expect([target, (await request(emulator.url, target, { Host }, method)).status]).toEqual([target, 421]);
    }
    expect(emulator.calls).toEqual([]);
    expect(emulator.store.devices.size).toBe(0);
  });
});

describe('a web page of another origin', () => {
  test.each([
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://localhost:3000' },
    { Origin: 'http://127.0.0.1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    // Another port of this machine.
    { 'Sec-Fetch-Site': 'same-site' },
  ] as Record<string, string>[])('that sends %j is refused', async (headers) => {
    const { emulator, deploy, ask } = await platform();
    await deploy();
    const [archive] = await Promise.all([ask('POST', '/apps', { name: 'more' })]);
    const type = { 'Content-Type': 'text/plain' };
    const before = emulator.calls.length;
    for (const [method, target] of [
      ['POST', '/device-authorization'],
      ['POST', '/activate'],
      ['GET', '/activate'],
      ['POST', '/v4/p-12345678/web/run'],
      ['GET', '/v2/projects/p-12345678/apps'],
      ['PUT', new URL(archive.json.uploadUrl).pathname],
    ] as const) {
      const { status, head } = await request(emulator.url, target, { ...headers, ...type }, method, '{}');
      expect([target, status]).toEqual([target, 403]);
      expect(head).not.toContain('access-control');
    }
    expect(emulator.calls).toHaveLength(before);
  });

  test('cannot open a WebSocket', async () => {
    const { emulator } = await platform();
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    const headers = { ...upgrade, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    const target = `/v1/applogs?projectID=p-12345678&token=${emulator.token}`;
    const open = (more: object) => request(emulator.url, target, { ...headers, ...more });
    expect((await open({ Origin: 'https://evil.example' })).status).toBe(403);
    expect((await open({ Host: 'evil.example' })).status).toBe(421);
    expect(emulator.calls).toEqual([]);
  });

  test('gets no permission from a preflight', async () => {
    const { emulator } = await platform();
    const asks = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' };
    for (const origin of ['https://evil.example', emulator.url]) {
      const { status, head } = await request(emulator.url, '/v4/p/web/run', { ...asks, Origin: origin }, 'OPTIONS');
      expect([status, head.includes('access-control-allow')]).toEqual([403, false]);
    }
  });

  test('gets a message with the flag that allows it', async () => {
    const { emulator } = await platform();
    const { body } = await request(emulator.url, '/v4/p/web/run', { Origin: 'http://localhost:3000' });
    expect(JSON.parse(body).message).toContain('--allow-origin');
  });
});

test("the emulator's own page and programs are answered", async () => {
  const { emulator } = await platform();
  for (const headers of [{}, { Origin: emulator.url, 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }]) {
    expect((await request(emulator.url, '/index.json', headers as Record<string, string>)).status).toBe(200);
  }
});

describe.skipIf(!python)('an allowed origin (needs python3)', () => {
  const Origin = 'http://localhost:3000';

  test('may call apps and read responses and errors', async () => {
    const { emulator, base } = await running('functions', {}, { allowOrigins: [Origin] });
    const path = new URL(base).pathname;
    for (const [below, status] of [
      ['run', 200],
      ['nothing', 404],
    ] as const) {
      const answer = await request(
        emulator.url,
        `${path}/${below}`,
        { Origin, 'Sec-Fetch-Site': 'same-site' },
        'POST',
        '{"name":"x"}',
      );
      expect([answer.status, answer.head]).toEqual([status, expect.stringContaining(`allow-origin: ${Origin}`)]);
    }
    const asks = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' };
    const preflight = await request(emulator.url, `${path}/run`, { Origin, ...asks }, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.head).toContain('access-control-allow-headers: content-type');
    expect(preflight.head).toContain('access-control-allow-methods: post');
  });

  test('cannot access anything else', async () => {
    const { emulator } = await platform({ allowOrigins: [Origin] });
    for (const target of ['/activate', '/v2/projects/p-12345678/apps', '/v4/../activate', '/v4/%2e%2e/v2/projects']) {
      expect([target, (await request(emulator.url, target, { Origin })).status]).toEqual([target, 403]);
    }
    expect((await request(emulator.url, '/v4/p/web', { Origin: `${Origin}0` })).status).toBe(403);
  });
});
