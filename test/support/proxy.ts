import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { ProxySettings } from '../../src/platform/config/proxy-settings.ts';
import { listening } from './listening.ts';

/** A proxy that leads every host to this machine, so that hosts can have names that are not loopback. */
export async function joiningProxy() {
  const asked: string[] = [];
  const heads: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer();
  server.on('connect', (request, client: Socket) => {
    asked.push(String(request.url));
    heads.push(request.headers);
    const target = connect(Number(/\d+$/.exec(String(request.url))), '127.0.0.1');
    target.once('connect', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    join(client, target);
  });
  const url = await listening(server);
  return { url, asked, heads, settings: settingsOf(url) };
}

/** A proxy that answers each CONNECT like this, and counts connections. */
export async function hostileProxy(answer: (socket: Socket) => void) {
  const seen = { connections: 0 };
  const server = createTcpServer((socket) => {
    seen.connections++;
    socket.on('error', () => {}).once('data', () => answer(socket));
  });
  const url = await listening(server);
  return { url, seen, settings: settingsOf(url) };
}

/** The same platform over https, under a name that is not loopback, which the emulator itself never hears. */
export async function overHttps(platform: string) {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const read = (name: string) => readFileSync(`fixtures/tls/${name}.pem`);
  const { host, hostname, port } = new URL(platform);
  const server = createTlsServer({ key: read('key'), cert: read('cert') }, (request, response) => {
    const { method, url: path } = request;
    const forwarded = forward({ hostname, port, method, path, headers: { ...request.headers, host } }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    request.pipe(forwarded.on('error', () => response.destroy()));
  });
  server.on('upgrade', ({ method, url: path, headers }, client: Socket) => {
    const far = connect(Number(port), hostname);
    const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${value}\r\n`);
    far.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    join(client, far);
  });
  return `https://platform.test:${new URL(await listening(server)).port}`;
}

function settingsOf(address: string): ProxySettings {
  const proxy = { address, variable: 'HTTPS_PROXY' } as const;
  return { http: proxy, https: proxy, noProxy: '' };
}

function join(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy()).on('close', () => other.destroy());
  other.on('error', () => one.destroy()).on('close', () => one.destroy());
  one.pipe(other).pipe(one);
}
