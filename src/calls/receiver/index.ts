import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { pause } from '../../kernel/clock.ts';
import { FailedError } from '../../kernel/errors.ts';
import { isLoopbackHost } from '../../platform/contract/address.ts';

/** A POST request as it was received. */
export interface ReceivedRequest {
  /** Path and query. */
  path: string;
  /** Headers by lower-case name; repeated ones are joined. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface ReceiverResponse {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

/** Where a server listens. */
interface ListenPlace {
  host: string;
  /** 0 picks a free port. Undefined: the usual one, or a free one if that is in use. */
  port: number | undefined;
  usualPort?: number;
}

export interface ReceiverOptions extends ListenPlace {
  /** `drop` closes the connection without a response. */
  onRequest: (received: ReceivedRequest) => Promise<ReceiverResponse | 'drop'>;
  /** Called for requests that never reach `onRequest`. */
  onRejected: (why: string) => void;
}

/** A server that listens. */
export type Listening = Awaited<ReturnType<typeof listenOn>>;

const maxBodyBytes = 10 * 1024 * 1024;
/** Maximum size of all bodies in memory together. */
const maxBufferedBytes = 128 * 1024 * 1024;
/** For how long a sender may take for its headers, and for all of a request, in ms. A response may take any time. */
const limits = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };
/** Maximum time to read the rest of a rejected body: a sender that is cut off does not see the response. */
const maxDiscardMs = 2_000;

/** Opens a server for POST requests that limits memory and time. Throws FailedError if it cannot listen. */
export async function openReceiver(options: ReceiverOptions): Promise<Listening> {
  const server = createServer(limits);
  const memory = { bytes: 0 };
  server.on('request', (request, response) => {
    response.on('error', () => {});
    serve(request, response, memory, options).catch(() => void request.socket.destroy());
  });
  server.on('clientError', (_, socket) => {
    options.onRejected('a request that is not HTTP');
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    else socket.destroy();
  });
  return listenOn(server, options);
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  memory: { bytes: number },
  { onRequest, onRejected }: ReceiverOptions,
): Promise<void> {
  const { method, url = '/', socket } = request;
  if (method !== 'POST') {
    onRejected(`${method} ${url}: only POST is accepted`);
    return respond(response, { status: 405, headers: { allow: 'POST', connection: 'close' } });
  }
  const chunks: Buffer[] = [];
  try {
    const rejection = await readBody(request, chunks, memory);
    if (rejection) {
      onRejected(`POST ${url}: ${rejection.why}`);
      return respond(response, { status: rejection.status, headers: { connection: 'close' } });
    }
    const body = Buffer.concat(chunks);
    chunks.splice(0, chunks.length, body);
    const result = await onRequest({ path: url, headers: joinHeaders(request.headers), body });
    if (result === 'drop') socket.destroy();
    else respond(response, result);
  } finally {
    for (const { length } of chunks) memory.bytes -= length;
  }
}

interface Rejection {
  status: number;
  why: string;
}

const tooLarge: Rejection = { status: 413, why: `the body exceeds ${maxBodyBytes / 1024 / 1024} MiB` };
const tooMany: Rejection = { status: 503, why: 'too many requests at the same time' };

/** Adds the body to `chunks`. Throws if the sender disconnects. */
async function readBody(request: IncomingMessage, chunks: Buffer[], memory: { bytes: number }) {
  let bytes = 0;
  if (Number(request.headers['content-length']) > maxBodyBytes) return discard(request, tooLarge);
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return discard(request, tooLarge);
    if (memory.bytes + chunk.length > maxBufferedBytes) return discard(request, tooMany);
    memory.bytes += chunk.length;
    chunks.push(chunk);
  }
  return undefined;
}

async function discard(request: IncomingMessage, rejection: Rejection): Promise<Rejection> {
  const ended = new Promise((done) => request.once('end', done).once('close', done).resume());
  await Promise.race([ended, pause(maxDiscardMs, undefined, { background: true })]);
  return rejection;
}

export function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

function respond(response: ServerResponse, { status, headers = {}, body = '' }: ReceiverResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Throws FailedError if the address is not free. */
async function listenOn(server: Server, { host, port, usualPort = 0 }: ListenPlace) {
  const bound = bind(server, host, port ?? usualPort);
  const listening = port === undefined ? bound.catch(() => bind(server, host, 0)) : bound;
  await listening.catch((error) => {
    throw bindError(error, host, port ?? 0);
  });
  const { port: number } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${number}`,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed).listen(port, host, () => {
      server.off('error', failed).on('error', () => {});
      done();
    });
  });
}

function bindError(cause: NodeJS.ErrnoException, host: string, port: number): FailedError {
  if (cause.code === 'EADDRINUSE') {
    return new FailedError(`port ${port} is in use`, { fix: 'use a free port', retryWith: ['--port', '0'], cause });
  }
  return new FailedError(`cannot listen on ${host}, port ${port}`, { why: cause.message, cause });
}

interface TextServerOptions extends ListenPlace {
  /** The text of a path; undefined if there is none. `accept` is what the client can read. */
  textOf: (path: string, accept: string) => { contentType: string; text: string } | undefined;
}

/** Serves texts to GET requests. Throws FailedError if it cannot listen. */
export async function openTextServer({ textOf, ...place }: TextServerOptions): Promise<Listening> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    request.resume();
    response.on('error', () => {});
    const { method = '', url = '/', headers } = request;
    const refuse = (status: number, text: string) => response.writeHead(status).end(`${text}\n`);
    // A page in a browser may have a name that leads to this machine: only its own names are answered.
    if (isLocalName(place.host) && !isLocalName(headers.host ?? '')) return refuse(403, 'another host name');
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'only GET');
    const served = textOf(url.replace(/\?.*$/s, ''), String(headers.accept));
    if (!served) return refuse(404, 'not found');
    const { contentType, text } = served;
    response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
    response.end(method === 'HEAD' ? undefined : text);
  });
  return listenOn(server, place);
}

/** Whether a `Host` header or an address to listen on names this machine only. */
function isLocalName(name: string): boolean {
  const url = `http://${name === '::1' ? '[::1]' : name}`;
  return URL.canParse(url) && isLoopbackHost(new URL(url));
}
