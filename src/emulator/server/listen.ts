import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { observeCall } from '../endpoints/call-observer.ts';
import type { Platform } from '../endpoints/platform.ts';
import { OriginPolicy } from '../http/origin.ts';
import { parseRequestTarget } from '../http/read-request.ts';
import { endWithReply, jsonReply, refusalOf, writeRawReply } from '../http/reply.ts';
import { type RecordedRequest, recordRequest } from '../model/recorded-request.ts';
import type { serveRequest } from './serve.ts';

/** Listens on the loopback address. Handles requests after `open` is called. */
export async function startServer(port: number, allowedOrigins: readonly string[] = []) {
  const server = createServer();
  // Clients test their own timeouts, so a stalled upload must not time out here.
  server.requestTimeout = 0;
  // As that of load balancers. After Node's 5 s, a slow machine closes connections on which a call is being sent.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address() as AddressInfo;
  const activeRequests = new Set<Promise<void>>();
  const upgradedStreams = new Set<Duplex>();
  const origins = new OriginPolicy(address.port, allowedOrigins);

  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,

    open(platform: Platform): void {
      server.on('request', (request, response) => {
        const reply = origins.refusal(request) ?? origins.preflight(request);
        if (platform.onCall) observeCall(request, response, platform);
        for (const [name, value] of Object.entries(origins.corsHeaders(request))) response.setHeader(name, value);
        if (reply) {
          endWithReply(response, reply);
          return;
        }
        const served: Promise<void> = serve(request, response, platform)
          .catch((error: Error) => {
            if (response.headersSent || request.socket.destroyed) return void request.socket.destroy();
            // An app's response may have headers that HTTP does not allow.
            endWithReply(response, jsonReply({ message: `the response cannot be sent: ${error.message}` }, 502));
          })
          .finally(() => activeRequests.delete(served));
        activeRequests.add(served);
      });
      server.on('upgrade', (request, stream: Duplex, head) => {
        if (!isWebSocket(request)) {
          replayWithoutUpgrade(server, request, stream, head);
          return;
        }
        upgradedStreams.add(stream.on('error', () => {}).on('close', () => upgradedStreams.delete(stream)));
        const refusal = origins.refusal(request);
        if (refusal) writeRawReply(stream, refusal);
        else acceptSocket(request, stream, head, platform).catch(() => stream.destroy());
      });
    },

    /** Closes all connections, and resolves when every request handler has ended. */
    async close(): Promise<void> {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      for (const stream of upgradedStreams) stream.destroy();
      await Promise.all([closed, ...activeRequests]);
    },
  };
}

/** The handlers are loaded by the first request: an emulator is ready before. */
async function serve(...request: Parameters<typeof serveRequest>): Promise<void> {
  const { serveRequest } = await import('./serve.ts');
  return serveRequest(...request);
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** A WebSocket of an app, or of logs. */
async function acceptSocket(request: IncomingMessage, client: Duplex, head: Buffer, platform: Platform): Promise<void> {
  let call: RecordedRequest | undefined;
  try {
    const url = parseRequestTarget(request, platform.url);
    await platform.changes.ended;
    const isOfApp = url.pathname.startsWith('/v4/');
    call = recordRequest(platform.calls, request, url, isOfApp ? 'invoke' : 'log-socket');
    const upgrade = { request, url, client, head, call };
    const accept = isOfApp
      ? (await import('../endpoints/invocation/sockets.ts')).acceptAppSocket
      : (await import('../endpoints/logs/sockets.ts')).acceptLogSocket;
    await accept(upgrade, platform);
  } catch (error) {
    const reply = refusalOf(error);
    if (call) call.status = reply.status;
    writeRawReply(client, reply);
  }
}

/**
 * Handles a request as if it had no `Upgrade` header: a server may ignore the protocols that it does not know (RFC 9110,
 * 7.8). Java and curl offer `h2c` this way with ordinary requests, but Node leaves the connection to us.
 */
function replayWithoutUpgrade(
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
