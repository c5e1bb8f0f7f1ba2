import { type ClientRequest, request } from 'node:http';
import { connectionHeaders } from '../../../platform/contract/invocation.ts';
import type { ReadableBody, ServerReply } from '../../http/reply.ts';
import { type ReplicaCall, ReplicaError, type SocketCall, type SocketReply, UndeliveredError } from './replica.ts';

/** Streams a request to the app's server, and its response back. */
export async function forwardRequest(
  { method, body, signal, ...call }: ReplicaCall,
  port: number,
): Promise<ServerReply> {
  const outgoing = request({ ...requestOf(call, port), method, signal });
  const response = new Promise<ServerReply>((done, failed) => {
    outgoing.once('response', (incoming) => {
      const { 'content-length': size, ...headers } = endToEndHeaders(incoming.headers) as ServerReply['headers'];
      const body: ReadableBody = { size: size === undefined ? undefined : Number(size), read: () => incoming };
      done({ status: incoming.statusCode ?? 502, headers, body });
    });
    outgoing.once('error', failed);
    // An upgrade response closes the connection without an error event.
    outgoing.once('close', () => failed(new Error('its response is not valid HTTP/1.1')));
  });
  const connection = connectionOf(outgoing);
  // A body can be read once: by the server that gets it.
  connection.opened
    .then(() => sendBody(Buffer.isBuffer(body) ? [body] : body, outgoing))
    .catch(() => outgoing.destroy());
  try {
    return await response;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw connection.failure(error as Error);
  }
}

/** When a request has its connection, and what a failure of it means: before that, nothing was sent. */
function connectionOf(outgoing: ClientRequest) {
  let isOpen = false;
  const opened = new Promise<void>((done) => {
    outgoing.once('socket', (socket) =>
      socket.once('connect', () => {
        isOpen = true;
        done();
      }),
    );
  });
  const failure = ({ message }: Error) =>
    new (isOpen ? ReplicaError : UndeliveredError)(`its server did not respond: ${message}`);
  return { opened, failure };
}

/**
 * The server may respond without reading the whole body. The rest is then read from the caller, who gets the response and
 * may use the connection again.
 */
async function sendBody(body: Iterable<Buffer> | AsyncIterable<Buffer>, outgoing: ClientRequest): Promise<void> {
  const event = (name: string) => new Promise((done) => outgoing.once(name, done));
  const closed = event('close');
  for await (const chunk of body) {
    if (outgoing.destroyed || outgoing.write(chunk)) continue;
    await Promise.race([event('drain'), closed]);
  }
  outgoing.end();
}

/** Asks the app's server for a WebSocket. It may refuse with an ordinary response. */
export function requestUpgrade({ signal, ...call }: SocketCall, port: number): Promise<SocketReply> {
  const { headers, ...others } = requestOf(call, port);
  const upgrade = { ...headers, connection: 'Upgrade', upgrade: 'websocket' };
  const outgoing = request({ ...others, headers: upgrade, signal });
  const connection = connectionOf(outgoing);
  return new Promise<SocketReply>((done, failed) => {
    outgoing.once('upgrade', (response, socket, head) => {
      socket.unshift(head);
      done({ response, socket });
    });
    outgoing.once('response', (response) => done({ response }));
    outgoing.once('error', (error) => failed(signal.aborted ? signal.reason : connection.failure(error)));
    outgoing.end();
  });
}

function requestOf({ run, address, headers }: Omit<SocketCall, 'signal'>, port: number) {
  const forwarded = { ...endToEndHeaders(headers), host: `127.0.0.1:${port}`, 'x-request-id': run };
  return { host: '127.0.0.1', port, path: address, headers: forwarded, agent: false } as const;
}

/** Without hop-by-hop headers. */
export function endToEndHeaders(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/[\s,]+/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !connectionHeaders.has(name) && !named.includes(name)),
  );
}
