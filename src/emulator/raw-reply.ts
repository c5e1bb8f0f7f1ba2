import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply } from './reply.ts';

/** Answers on a connection that Node has handed over, and closes it. */
export function endRaw(stream: Duplex, { status, headers, body }: Reply): void {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': Buffer.byteLength(text) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`);
}

/** Answers a request that is neither recorded nor routed. */
export function endEarly(response: ServerResponse, { status, headers, body }: Reply): void {
  const text = typeof body === 'string' ? body : '';
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}
