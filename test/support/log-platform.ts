import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { listening } from './listening.ts';

/** One line, `second` seconds after the epoch of these tests. Without an id, its time must tell it from others. */
export function lineAt(second: number, logLine: string, more: object = {}) {
  const timestamp = new Date(Date.UTC(2026, 10, 20) + second * 1_000).toISOString();
  return { logLine, timestamp, containerName: 'web-1', ...more };
}

export type Line = ReturnType<typeof lineAt>;

/** The same as its socket sends it. */
export function frameOf({ logLine, timestamp, containerName }: Line): string {
  return JSON.stringify({ app_id: 'p-1-web', run_id: '', timestamp, container_name: containerName, log: logLine });
}

interface Arranged {
  /** Answers a look at the history: a status and, with 200, a page. */
  page: (query: Record<string, string>, number: number) => { status?: number; body?: object | undefined };
  /** What becomes of a socket; without it none is opened. */
  socket?: (send: (text: string) => void, cut: () => void, query: Record<string, string>, number: number) => void;
  /** Takes the connection and never answers. */
  deaf?: boolean;
}

/** A platform that says of its logs what no emulator would. Gives the environment to reach it. */
export async function logPlatform({ page, socket, deaf }: Arranged): Promise<Record<string, string>> {
  const counts = { pages: 0, sockets: 0 };
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams);
    const { status = 200, body } = page(query, ++counts.pages);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
  });
  server.on('upgrade', (request, stream: Duplex, head) => {
    stream.on('error', () => {});
    if (deaf) return;
    if (!socket) return void stream.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams);
    sockets.handleUpgrade(request, stream, head, (opened) => {
      socket(
        (text) => opened.send(text),
        () => opened.send('', () => opened.terminate()),
        query,
        ++counts.sockets,
      );
    });
  });
  const token = `e30.${Buffer.from('{"project_id":"p-1"}').toString('base64url')}.c2lnbmF0dXJl`;
  return { GANTRY_API_URL: await listening(server), GANTRY_TOKEN: token, GANTRY_PROJECT: 'p-1' };
}
