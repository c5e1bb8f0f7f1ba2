import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A POST as it came. */
export interface ReceivedRequest {
  /** Path and query. */
  path: string;
  /** Names in lower case; what came several times is joined. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface ReceiverResponse {
  status: number;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

export interface ReceiverOptions {
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** `drop` gives no answer at all: the connection is cut. */
  onRequest: (received: ReceivedRequest) => Promise<ReceiverResponse | 'drop'>;
  /** Hears of what was not even looked at. */
  onRejected: (why: string) => void;
  /** How long a sender may be silent, milliseconds; ten seconds if left out. */
  idleTimeoutMs?: number | undefined;
}

export interface Receiver {
  /** Without a slash at the end. */
  url: string;
  /** Cuts all connections and stops. */
  close: () => Promise<void>;
}

/** Of one body, bytes. */
const maxBodyBytes = 10 * 1024 * 1024;
/** Of all bodies that are held at the same time, bytes. */
const maxBufferedBytes = 128 * 1024 * 1024;
/** Connections whose request is still arriving: beyond these the oldest is dropped, so that none can block others. */
const maxIncomingRequests = 256;
/** A sender that sends nothing for this long is dropped, milliseconds. */
const defaultIdleTimeoutMs = 10_000;
/** How long the rest of what is too large may take to come, milliseconds: who is cut off hears no reason. */
const maxDiscardMs = 2_000;

/** A server that takes POSTs, and survives whatever else comes. Rejects when it cannot listen there. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, onRejected } = options;
  const server = createServer({
    requestTimeout: 60_000,
    headersTimeout: 20_000,
    connectionsCheckingInterval: 5_000,
  });
  const arriving = new IncomingRequests(options.idleTimeoutMs ?? defaultIdleTimeoutMs);
  server.on('connection', (socket) => {
    arriving.begin(socket);
    socket.on('timeout', () => socket.destroy()).on('close', () => arriving.end(socket));
  });
  server.on('request', (request, response) => {
    response.on('error', () => {});
    serve(request, response, arriving, options).catch(() => void request.socket.destroy());
  });
  server.on('clientError', (_, socket) => {
    onRejected('something that is not HTTP');
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

/** What is arriving, and how much of it is held in memory. */
class IncomingRequests {
  /** The oldest first. */
  readonly #sockets = new Set<Socket>();
  #heldBytes = 0;

  constructor(private readonly quietMs: number) {}

  begin(socket: Socket): void {
    socket.setTimeout(this.quietMs);
    this.#sockets.delete(socket);
    this.#sockets.add(socket);
    const [oldest] = this.#sockets;
    if (this.#sockets.size > maxIncomingRequests) oldest?.destroy();
  }

  /** The request is here: its answer may take its time. */
  end(socket: Socket): void {
    this.#sockets.delete(socket);
    socket.setTimeout(0);
  }

  /** False when there is no room for it. */
  reserve(bytes: number): boolean {
    if (this.#heldBytes + bytes > maxBufferedBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  arriving: IncomingRequests,
  { onRequest, onRejected }: ReceiverOptions,
): Promise<void> {
  arriving.begin(request.socket);
  const { method, url = '/' } = request;
  if (method !== 'POST') {
    onRejected(`${method} ${url}: only POST is taken`);
    return reply(response, { status: 405, headers: { allow: 'POST', connection: 'close' } });
  }
  let held = 0;
  const hold = (bytes: number) => {
    const hasRoom = arriving.reserve(bytes);
    if (hasRoom) held += bytes;
    return hasRoom;
  };
  try {
    const body = await readBody(request, hold);
    arriving.end(request.socket);
    if (!Buffer.isBuffer(body)) {
      onRejected(`POST ${url}: ${body.why}`);
      return reply(response, { status: body.status, headers: { connection: 'close' } });
    }
    const answer = await onRequest({ path: url, headers: joinHeaders(request), body });
    if (answer === 'drop') request.socket.destroy();
    else reply(response, answer);
  } finally {
    arriving.release(held);
  }
}

interface Rejection {
  status: number;
  why: string;
}

const tooLarge: Rejection = { status: 413, why: `more than ${maxBodyBytes / 1024 / 1024} MiB` };
const tooMany: Rejection = { status: 503, why: 'too much is arriving at the same time' };

/** Rejects when the sender leaves in the middle. */
async function readBody(request: IncomingMessage, hold: (bytes: number) => boolean): Promise<Buffer | Rejection> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length']) > maxBodyBytes) return discard(request, tooLarge);
  const reading = request[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await reading.next();
    if (done) return Buffer.concat(pieces);
    bytes += value.length;
    if (bytes > maxBodyBytes) return discard(request, tooLarge);
    if (!hold(value.length)) return discard(request, tooMany);
    pieces.push(value);
  }
}

async function discard(request: IncomingMessage, refusal: Rejection): Promise<Rejection> {
  const ended = new Promise((done) => request.once('end', done).once('close', done).resume());
  await Promise.race([ended, setTimeout(maxDiscardMs, undefined, { ref: false })]);
  return refusal;
}

function joinHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

function reply(response: ServerResponse, { status, headers = {}, body = '' }: ReceiverResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
