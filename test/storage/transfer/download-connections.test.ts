import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BlockPool } from '../../../src/storage/transfer/block-pool.ts';
import { DownloadConnections } from '../../../src/storage/transfer/connections.ts';
import { listening, noise } from '../../support/index.ts';

const { signal } = new AbortController();
setMaxListeners(0, signal);

/** Listens, and calls back with each request head. */
async function serve(
  reply: (socket: Socket, head: string) => void,
  // Pieces are sent at once: else each waits until the one before it is acknowledged.
  server: Server = createServer({ noDelay: true }),
): Promise<URL & { opened: () => number }> {
  let connections = 0;
  const isTls = server instanceof TlsServer;
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections++;
    socket.on('error', () => {}).on('data', (head) => reply(socket, String(head)));
  });
  const { host } = new URL(await listening(server));
  const url = new URL(`${isTls ? 'https' : 'http'}://${host}/key?a=b`);
  return Object.assign(url, { opened: () => connections });
}

function newConnections(elapsed = () => 0) {
  const blocks = new BlockPool();
  const connections = new DownloadConnections({ blocks, proxy: undefined, silenceMs: 60_000, signal, elapsed });
  onTestFinished(() => connections.close());
  return connections;
}

async function get(connections: DownloadConnections, url: URL, takeMs = async () => {}): Promise<string | undefined> {
  const reply = await connections.get(url, { range: 'bytes=0-1' }, signal);
  if (!reply) return undefined;
  const received: Buffer[] = [];
  for await (const { bytes } of reply.receive()) {
    await takeMs();
    received.push(Buffer.from(bytes));
  }
  return `${reply.statusCode} ${Buffer.concat(received).toString('latin1')}`;
}

const ok = (body: string) =>
  `HTTP/1.1 206 Partial Content\r\nContent-Length: ${body.length}\r\nETag: "e"\r\n\r\n${body}`;

test('reads responses that arrive in any pieces, one after the other on a connection', async () => {
  const pieces = fc.record({
    bodies: fc.array(fc.string({ unit: 'binary-ascii', maxLength: 40 }), { minLength: 1, maxLength: 4 }),
    cuts: fc.array(fc.nat(), { maxLength: 6 }),
  });
  let [bodies, cuts]: [string[], number[]] = [[], []];
  const url = await serve(async (socket) => {
    const text = ok(bodies.shift() ?? '');
    const at = [...new Set([0, ...cuts.map((cut) => cut % text.length), text.length])].sort((a, b) => a - b);
    for (const [index, end] of at.entries()) {
      socket.write(text.slice(at[index - 1] ?? 0, end), 'latin1');
      await setImmediate();
    }
  });
  await fc.assert(
    fc.asyncProperty(pieces, async (given) => {
      [bodies, cuts] = [[...given.bodies], given.cuts];
      const connections = newConnections();
      for (const body of given.bodies) expect(await get(connections, url)).toBe(`206 ${body}`);
      connections.close();
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'],
  ['without a length', 'HTTP/1.1 200 OK\r\n\r\nbody'],
  ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['longer than its head says', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'],
  ['interim', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['that never has a body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
  ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na'],
  ['with a folded header', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX: a\r\n b\r\n\r\na'],
  ['with an endless head', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(2 ** 14)}`],
  ['that is no HTTP', '\r\n\r\n'],
])('leaves a response %s to a complete client', async (_, text) => {
  const url = await serve((socket) => void socket.write(text));
  expect(await get(newConnections(), url)).toBeUndefined();
});

test.each([
  ['plain', () => createServer(), 5_000_000],
  ['TLS', tlsServer, 5_000_000],
])('a reader that is slower than a %s connection gets all bytes', async (_, createsServer, bytes) => {
  const body = noise(bytes).toString('latin1');
  const url = await serve((socket) => void socket.write(ok(body), 'latin1'), createsServer());
  const connections = newConnections();
  for (let round = 0; round < 2; round++) {
    const received = await get(connections, url, async () => {
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    });
    expect(received === `206 ${body}`).toBe(true);
  }
});

test('ends early if the connection does, and does not use it again', async () => {
  const url = await serve((socket) => void socket.end(ok('whole').slice(0, -2)));
  expect(await get(newConnections(), url)).toBe('206 who');
});

test('uses a connection again, unless it was idle for long or the server closes it', async () => {
  let [now, last] = [0, ''];
  const url = await serve((socket) => void socket.write(ok('a').replace('\r\n\r\n', `\r\n${last}\r\n`)));
  const connections = newConnections(() => now);
  await get(connections, url);
  now += 1_000;
  await get(connections, url);
  expect(url.opened()).toBe(1);
  now += 10_000;
  await get(connections, url);
  expect(url.opened()).toBe(2);
  last = 'Connection: close\r\n';
  await get(connections, url);
  await get(connections, url);
  expect(url.opened()).toBe(3);
});

test('sends a request of one header a line, whatever the values hold', async () => {
  const heads: string[] = [];
  const url = await serve((socket, head) => {
    heads.push(head);
    socket.write(ok(''));
  });
  const reply = await newConnections().get(url, { 'if-match': '"e"\r\nx: y' }, signal);
  for await (const _ of reply?.receive() ?? []) expect(_).toBeUndefined();
  expect(heads).toEqual([`GET /key?a=b HTTP/1.1\r\nhost: ${url.host}\r\nif-match: "e"x: y\r\n\r\n`]);
});

test('an interrupt ends a response, and its reason is thrown', async () => {
  const url = await serve((socket) => void socket.write(ok('whole').slice(0, -2)));
  const interrupted = new AbortController();
  const reply = await newConnections().get(url, {}, interrupted.signal);
  interrupted.abort(new Error('interrupted'));
  await expect(reply?.receive().next()).rejects.toThrow('interrupted');
});

function tlsServer(): Server {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const read = (name: string) => readFileSync(`fixtures/tls/${name}.pem`);
  return createTlsServer({ key: read('key'), cert: read('cert') });
}
