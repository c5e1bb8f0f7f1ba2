import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Platform } from '../endpoints/platform.ts';
import { parseRequestTarget } from '../http/read-request.ts';
import { RefusalError, writeRawReply } from '../http/reply.ts';

export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** A WebSocket of an app, or of logs. */
export async function acceptSocket(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  platform: Platform,
): Promise<void> {
  try {
    const url = parseRequestTarget(request, platform.url);
    await platform.changes.ended;
    if (url.pathname.startsWith('/v4/')) {
      const { acceptAppSocket } = await import('../endpoints/invocation/sockets.ts');
      await acceptAppSocket(request, url, { client, head }, platform);
      return;
    }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    writeRawReply(client, error.reply);
    return;
  }
  const { acceptLogSocket } = await import('../endpoints/logs/sockets.ts');
  await acceptLogSocket(request, client, head, platform);
}

/**
 * Handles a request as if it had no `Upgrade` header: a server may ignore the protocols that it does not know (RFC 9110,
 * 7.8). Java and curl offer `h2c` this way with ordinary requests, but Node leaves the connection to us.
 */
export function replayWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const kept = name.toLowerCase() === 'connection' ? withoutUpgrade(value) : value;
    if (!/^(upgrade|http2-settings)$/i.test(name) && kept !== '') lines.push(`${name}: ${kept}`);
  }
  client.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', client);
}

function withoutUpgrade(connection: string): string {
  const options = connection.split(',').map((option) => option.trim());
  return options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option)).join(', ');
}
