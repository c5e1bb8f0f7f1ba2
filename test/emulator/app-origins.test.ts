import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { browsing, chromiumPath } from '../support/browser.ts';
import { platform, speaking } from './support/platform.ts';
import { sendRaw } from './support/raw.ts';
import { python } from './support/running.ts';

/** Does what web frameworks do: absolute redirects, absolute paths of assets, sockets at the host of the page. */
const server = `
import base64, hashlib, json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b'''<!doctype html><title>page</title><h1>waiting</h1><script src="/static/app.js"></script>'''
SCRIPT = b'''
(async () => {
  const facts = await (await fetch('/api/facts')).json();
  const socket = new WebSocket("ws://" + location.host + "/socket");
  socket.onmessage = ({ data }) => { document.querySelector("h1").textContent = facts.host + " " + data; };
})();
'''

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers["Host"]
        if self.path == "/socket":
            key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
            self.end_headers()
            self.wfile.write(b"\\x81\\x06socket")
            self.rfile.read(1)
            self.close_connection = True
        elif self.path == "/":
            self.answer(302, b"", {"Location": f"http://{host}/docs/"})
        elif self.path == "/docs/":
            self.answer(302, b"", {"Location": "/home"})
        elif self.path == "/home":
            self.answer(200, PAGE, {"Content-Type": "text/html"})
        elif self.path == "/static/app.js":
            self.answer(200, SCRIPT, {"Content-Type": "text/javascript"})
        else:
            facts = {"path": self.path, "host": host, "prefix": self.headers["X-Forwarded-Prefix"]}
            self.answer(200, json.dumps(facts).encode(), {"Content-Type": "application/json"})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`;

const custom = { runtime: 'custom', entrypoint: ['python', 'server.py'], port: 8196 };

async function served(options = {}) {
  const all = await platform({ now: Date.now, real: true, ...options });
  await all.deploy({ name: 'Web_1', ...custom }, { 'server.py': server });
  const { port } = new URL(all.emulator.url);
  return { ...all, port, origin: `http://web_1.localhost:${port}`, host: `web_1.localhost:${port}` };
}

/** Node may not know such names: the address is this machine's, the name is in the Host header. */
async function get(url: string, target: string, headers: Record<string, string>, method = 'GET') {
  const lines = Object.entries({ Connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const { status, head, body } = await sendRaw(url, [`${method} ${target} HTTP/1.1`, ...lines]);
  return { status, location: /^location: (.*)$/m.exec(head)?.[1]?.trim(), body };
}

describe.skipIf(!python)("an app's own origin (needs python3)", () => {
  test('is given by the platform for servers, and every path there is that of the app', async () => {
    const { emulator, ask, host, origin, deploy } = await served();
    await deploy({ name: 'functions' });
    expect((await ask('GET', '/apps/p-12345678-Web_1')).json.pageUrl).toBe(`${origin}/`);
    expect((await ask('GET', '/apps/p-12345678-functions')).json.pageUrl).toBeUndefined();
    expect(await get(emulator.url, '/', { Host: host })).toMatchObject({ status: 302, location: `${origin}/docs/` });
    for (const path of [
      '/v2/projects/p-12345678/apps',
      '/activate',
      '/storage/x.zip',
      '/v4/p-12345678/functions/run',
    ]) {
      const { status, body } = await get(emulator.url, path, { Host: host });
      expect([status, JSON.parse(body)]).toEqual([200, { path, host, prefix: null }]);
    }
  });

  test('cannot be left by dots in the path', async () => {
    const { emulator, host } = await served();
    for (const path of ['/../v2/projects', '/%2e%2e/%2E%2e/v2/projects', '/a/..//../../v4/x/y/run', '/\\..\\v2/x']) {
      const { status, body } = await get(emulator.url, path, { Host: host });
      expect([status, JSON.parse(body).host]).toEqual([200, host]);
      expect(emulator.calls.at(-1)?.path).toMatch(/^\/v4\/p-12345678\/Web_1\//);
    }
  });

  test('tells the server where it is below a path, and believes no caller that', async () => {
    const { emulator, host } = await served();
    const below = '/v4/p-12345678/Web_1';
    const claim = { 'X-Forwarded-Prefix': '/evil' };
    const facts = async (path: string, named: string) =>
      JSON.parse((await get(emulator.url, path, { Host: named, ...claim })).body);
    expect(await facts(`${below}/x`, new URL(emulator.url).host)).toMatchObject({ path: '/x', prefix: below });
    expect(await facts('/x', host)).toEqual({ path: '/x', host, prefix: null });
  });

  test('is open to its own pages, and to no others', async () => {
    const { emulator, host, port, origin } = await served();
    for (const [headers, expected] of [
      [{ Origin: origin, 'Sec-Fetch-Site': 'same-origin' }, 200],
      [{ 'Sec-Fetch-Site': 'none' }, 200],
      [{ Origin: `http://functions.localhost:${port}`, 'Sec-Fetch-Site': 'same-site' }, 403],
      [{ Origin: emulator.url }, 403],
      [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
      [{ Origin: 'http://evil.example' }, 403],
    ] as const) {
      expect([headers, (await get(emulator.url, '/x', { Host: host, ...headers })).status]).toEqual([
        headers,
        expected,
      ]);
    }
    // Its pages are strangers to the platform and to other apps.
    for (const path of ['/v2/projects/p-12345678/apps', '/v4/p-12345678/functions/run', '/activate']) {
      expect((await get(emulator.url, path, { Host: `127.0.0.1:${port}`, Origin: origin })).status).toBe(403);
    }
  });

  test('needs the token as the path does', async () => {
    const { emulator, deploy, host: Host } = await served();
    await deploy({ name: 'Web_1', ...custom, disableAuth: false }, { 'server.py': server });
    expect((await get(emulator.url, '/x', { Host })).status).toBe(401);
    expect((await get(emulator.url, '/x', { Host, Authorization: `Bearer ${emulator.token}` })).status).toBe(200);
  });

  test('is called by other names only where an app has them', async () => {
    const { emulator, port } = await served();
    for (const [host, expected] of [
      [`nothing.localhost:${port}`, 404],
      ['web_1.localhost', 421],
      ['web_1.localhost:1', 421],
      [`web_1.localhost.evil.example:${port}`, 421],
      [`web_1.localhost@evil.example:${port}`, 421],
      [`.localhost:${port}`, 421],
    ] as const) {
      expect([host, (await get(emulator.url, '/x', { Host: host })).status]).toEqual([host, expected]);
    }
    const mixed = await get(emulator.url, `http://127.0.0.1:${port}/v2/projects`, { Host: `web_1.localhost:${port}` });
    expect(mixed.status).toBe(400);
  });

  test('has WebSockets, and its calls are runs of the app', async () => {
    const { emulator, ask, host, origin } = await served();
    const socket = new WebSocket(`${emulator.url.replace('http', 'ws')}/socket`, { headers: { host }, origin });
    const [message] = await once(socket, 'message');
    expect(String(message)).toBe('socket');
    socket.close();
    await once(socket, 'close');
    await expect
      .poll(async () => (await ask('GET', '/apps/p-12345678-Web_1/runs')).json.items)
      .toEqual([expect.objectContaining({ functionName: 'socket' })]);
    const stranger = new WebSocket(`${emulator.url.replace('http', 'ws')}/socket`, {
      ...{ headers: { host }, origin: 'http://evil.example' },
    });
    await expect(once(stranger, 'open')).rejects.toThrow('403');
  });
});

test('two apps of the same name in two projects are told apart by their ids', async () => {
  const { emulator, deploy } = await platform({ real: false });
  emulator.store.projects.push('p-22222222');
  await deploy({ name: 'web', ...custom }, { 'server.py': '' });
  const other = speaking({
    ...emulator,
    project: 'p-22222222',
    token: emulator.issueToken({ project_id: 'p-22222222' }),
  });
  await other.deploy({ name: 'web', ...custom }, { 'server.py': '' });
  const { port } = new URL(emulator.url);
  const page = async (project: string) =>
    (await (project === 'p-22222222' ? other : speaking(emulator)).ask('GET', `/apps/${project}-web`)).json.pageUrl;
  expect(await page('p-22222222')).toBe(`http://p-22222222-web.localhost:${port}/`);
  expect(await page('p-12345678')).toBe(`http://p-12345678-web.localhost:${port}/`);
  expect((await get(emulator.url, '/x', { Host: `web.localhost:${port}` })).status).toBe(404);
});

test('no origin is named where another program listens on ::1', async () => {
  const port = await strangersPort();
  if (port === undefined) return;
  const { ask, deploy } = await platform({ port, real: false });
  await deploy({ name: 'web', ...custom }, { 'server.py': '' });
  expect((await ask('GET', '/apps/p-12345678-web')).json.pageUrl).toBeUndefined();
});

/** A port that is taken on ::1 and free on 127.0.0.1. Undefined without IPv6. */
async function strangersPort(): Promise<number | undefined> {
  for (;;) {
    const stranger = createServer();
    await once(stranger.listen(0, '::1'), 'listening').catch(() => {});
    onTestFinished(() => void stranger.close());
    const address = stranger.address();
    if (address === null || typeof address === 'string') return undefined;
    const other = createServer();
    const isFree = await once(other.listen(address.port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    other.close();
    if (isFree) return address.port;
  }
}

describe.skipIf(!chromiumPath || !python)('in a browser (needs chromium and python3)', () => {
  const open = browsing();

  test('redirects, absolute assets, requests and sockets of a page work at the origin', async () => {
    const { origin, host, deploy } = await served({ trustOwner: true });
    // Also of a private app, for its developer.
    await deploy({ name: 'Web_1', ...custom, disableAuth: false }, { 'server.py': server });
    const { page } = await open();
    await page.goto(origin);
    await page.getByRole('heading', { name: `${host} socket` }).waitFor();
    expect(page.url()).toBe(`${origin}/home`);
  });
});
