import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A POST as it came. */
export interface Received {
  /** Path and query. */
  path: string;
  /** Names in lower case; what came several times is joined. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

export interface ReceiverOptions {
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** `drop` gives no answer at all: the connection is cut. */
  onReceived: (received: Received) => Promise<Answer | 'drop'>;
  /** Hears of what was not even looked at. */
  onRefused: (why: string) => void;
}

export interface Receiver {
  /** Without a slash at the end. */
  url: string;
  /** Cuts all connections and stops. */
  close: () => Promise<void>;
}

/** Of one body, bytes. */
const mostBytes = 10 * 1024 * 1024;
/** All of them together have to fit into memory. */
const mostConnections = 32;
/** How long the rest of what is too large may take to come, milliseconds: who is cut off hears no reason. */
const lingerMs = 2_000;

/** A server that takes POSTs, and survives whatever else comes. Rejects when it cannot listen there. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, onRefused } = options;
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 });
  server.maxConnections = mostConnections;
  server.on('request', (request, response) => {
    response.on('error', () => {});
    serve(request, response, options).catch(() => void request.socket.destroy());
  });
  server.on('clientError', (_, socket) => {
    onRefused('something that is not HTTP');
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    else socket.destroy();
  });
  await bind(server, host, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${taken}`,
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

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { onReceived, onRefused }: ReceiverOptions,
): Promise<void> {
  const { method, url = '/' } = request;
  if (method !== 'POST') {
    onRefused(`${method} ${url}: only POST is taken`);
    return reply(response, { status: 405, headers: { allow: 'POST', connection: 'close' } });
  }
  const body = await bodyOf(request);
  if (body === undefined) {
    onRefused(`POST ${url}: more than ${mostBytes / 1024 / 1024} MiB`);
    return reply(response, { status: 413, headers: { connection: 'close' } });
  }
  const answer = await onReceived({ path: url, headers: headersOf(request), body });
  if (answer === 'drop') request.socket.destroy();
  else reply(response, answer);
}

/** Undefined when it is too large. Rejects when the sender leaves in the middle. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length']) > mostBytes) return discard(request);
  const reading = request[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await reading.next();
    if (done) return Buffer.concat(pieces);
    bytes += value.length;
    if (bytes > mostBytes) return discard(request);
    pieces.push(value);
  }
}

async function discard(request: IncomingMessage): Promise<undefined> {
  const ended = new Promise((done) => request.once('end', done).once('close', done).resume());
  await Promise.race([ended, setTimeout(lingerMs, undefined, { ref: false })]);
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

function reply(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
