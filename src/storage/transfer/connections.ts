import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { silenceError } from '../../platform/api/idle-timeout.ts';
import type { ReadInto } from '../../platform/api/undici.ts';
import { createConnector, loadUndici, openSocket } from '../../platform/api/undici.ts';
import type { ProxySettings } from '../../platform/config/proxy-settings.ts';
import type { Block, BlockPool } from './block-pool.ts';
import { mib } from './parts.ts';

/** One of `receive` and `drop` must be called. */
interface BlockReply extends ResponseHead {
  receive: () => AsyncGenerator<ReceivedBlock>;
  drop: () => void;
}

interface BlockConnectionsOptions extends ConnectionOptions {
  blocks: BlockPool;
  signal: AbortSignal;
  elapsed: () => number;
}

/** Storage closes idle connections after some seconds; older ones are not used again. */
const maxIdleMs = 2_000;
/** Two for each connection. */
const blockBytes = mib / 4;

/** Takes less than half the CPU time of a client that parses and streams (decisions/0013). */
export class DownloadConnections {
  readonly #idle = new Map<string, { connection: DownloadConnection; since: number }[]>();

  constructor(private readonly options: BlockConnectionsOptions) {}

  /** Undefined if the URL needs a proxy, or the response has no known length: then a complete client is needed. */
  async get(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<BlockReply | undefined> {
    signal.throwIfAborted();
    const connection = this.#takeIdle(url.origin) ?? (await this.#open(url));
    if (!connection) return undefined;
    const abort = () => connection.destroy(signal.reason);
    const finish = () => {
      signal.removeEventListener('abort', abort);
      this.#release(url.origin, connection);
    };
    signal.addEventListener('abort', abort, { once: true });
    let head: ResponseHead | undefined;
    try {
      head = await connection.request(formatRequest(url, headers));
    } finally {
      if (!head) finish();
    }
    return head && { ...head, drop: finish, receive: () => receiveAll(connection, finish) };
  }

  close(): void {
    for (const idle of this.#idle.values()) for (const { connection } of idle) this.#drop(connection);
    this.#idle.clear();
  }

  #takeIdle(origin: string): DownloadConnection | undefined {
    const idle = this.#idle.get(origin) ?? [];
    for (let next = idle.pop(); next; next = idle.pop()) {
      if (next.connection.isReusable && this.options.elapsed() - next.since < maxIdleMs) return next.connection;
      this.#drop(next.connection);
    }
    return undefined;
  }

  async #open(url: URL): Promise<DownloadConnection | undefined> {
    const { blocks, silenceMs, ...options } = this.options;
    const connection = new DownloadConnection([blocks.acquire(blockBytes), blocks.acquire(blockBytes)]);
    const { onread } = connection;
    let socket: Socket | undefined;
    try {
      socket = await openSocket(url, { ...options, onread, onConnected: limitSilence(silenceMs) });
    } finally {
      if (!socket) blocks.release(...connection.blocks);
    }
    if (socket) connection.attach(socket);
    return socket && connection;
  }

  #release(origin: string, connection: DownloadConnection): void {
    const idle = this.#idle.get(origin) ?? [];
    this.#idle.set(origin, idle);
    if (connection.isReusable) idle.push({ connection, since: this.options.elapsed() });
    else this.#drop(connection);
  }

  #drop(connection: DownloadConnection): void {
    connection.destroy();
    this.options.blocks.release(...connection.blocks);
  }
}

async function* receiveAll(connection: DownloadConnection, finish: () => void): AsyncGenerator<ReceivedBlock> {
  try {
    yield* connection.receive();
  } finally {
    finish();
  }
}

/** The values come from URLs and from replies: a line break would end the header. */
function formatRequest({ pathname, search, host }: URL, headers: Record<string, string>): string {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, '')}`);
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Bytes of a response, in a block that is reused once the next one is requested. */
export interface ReceivedBlock {
  block: Block;
  bytes: Buffer;
}

/** The head of a response whose length is known. */
export interface ResponseHead {
  statusCode: number;
  headers: IncomingHttpHeaders;
  bytes: number;
}

/** Reads responses straight into blocks. Only those with a Content-Length; others need a complete client. */
export class DownloadConnection {
  isReusable = false;
  #socket: Socket | undefined;
  #filling: Block;
  /** Takes what a TLS socket delivers after it was told to pause. */
  #next: Block;
  #filled = 0;
  #head: ResponseHead | 'incomplete' | 'unknown' = 'incomplete';
  /** Bytes of the body that have not arrived. */
  #missing = 0;
  #full: ReceivedBlock[] = [];
  #isPaused = false;
  #isClosed = false;
  #error: Error | undefined;
  #wake = () => {};

  /** The blocks have the same length. */
  constructor(readonly blocks: readonly [Block, Block]) {
    [this.#filling, this.#next] = blocks;
  }

  get onread(): ReadInto {
    return { buffer: () => this.#room(), callback: (length) => this.#received(length) };
  }

  attach(socket: Socket): void {
    this.#socket = socket;
    const closed = (error?: Error) => {
      this.#isClosed = true;
      this.isReusable = false;
      this.#error ??= error;
      this.#wake();
    };
    socket
      .on('error', closed)
      .on('end', () => closed())
      .on('close', () => closed());
  }

  /** Sends the head of a request. Resolves to undefined if the length of the response is unknown. */
  async request(head: string): Promise<ResponseHead | undefined> {
    this.isReusable = false;
    this.#head = 'incomplete';
    this.#socket?.write(head, 'latin1');
    while (this.#head === 'incomplete') {
      if (this.#error) throw this.#error;
      if (this.#isClosed) throw new Error('the connection closed before the response');
      await this.#read();
    }
    return this.#head === 'unknown' ? undefined : this.#head;
  }

  /** The body; ends early if the connection closes. */
  async *receive(): AsyncGenerator<ReceivedBlock> {
    while (this.#missing > 0 || this.#full.length > 0) {
      const received = this.#full.shift();
      if (received) yield received;
      else if (this.#isClosed && this.#filled > 0) this.#handOver();
      else if (this.#error) throw this.#error;
      else if (this.#isClosed) return;
      else await this.#read();
    }
    const { connection = '' } = (this.#head as ResponseHead).headers;
    this.isReusable = !this.#isClosed && !/\bclose\b/i.test(connection);
  }

  destroy(error?: Error): void {
    this.#isClosed = true;
    this.#error ??= error;
    this.#filled = 0;
    this.#socket?.destroy();
    this.#wake();
  }

  #read(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (!this.#isPaused) return;
      this.#isPaused = false;
      this.#socket?.resume();
    });
  }

  /** Where Node reads to next. Never beyond the body: what follows belongs to the next response. */
  #room(): Uint8Array {
    const end = this.#head === 'incomplete' ? this.#filling.bytes.length : this.#filled + Math.max(1, this.#missing);
    return this.#filling.bytes.subarray(this.#filled, end);
  }

  #received(length: number): boolean {
    this.#filled += length;
    if (this.#head === 'incomplete') this.#parseHead();
    else this.#missing -= length;
    if (this.#missing < 0) this.destroy(new Error('the response is longer than its head says'));
    const isFull = this.#filled === this.#filling.bytes.length || this.#missing === 0;
    if (isFull && this.#head !== 'incomplete') this.#handOver();
    return !this.#isPaused;
  }

  #parseHead(): void {
    const { bytes } = this.#filling;
    const length = bytes.subarray(0, this.#filled).indexOf('\r\n\r\n') + 4;
    if (length < 4 && this.#filled < Math.min(bytes.length, maxHeadBytes)) return;
    const head = length < 4 ? undefined : parseHead(bytes.toString('latin1', 0, length));
    const isKnown = head !== undefined && this.#filled - length <= head.bytes;
    this.#head = isKnown ? head : 'unknown';
    bytes.copyWithin(0, length, this.#filled);
    this.#filled -= length;
    this.#missing = isKnown ? head.bytes - this.#filled : 0;
    this.#wake();
  }

  #handOver(): void {
    const block = this.#filling;
    if (this.#filled > 0) this.#full.push({ block, bytes: block.bytes.subarray(0, this.#filled) });
    [this.#filling, this.#next] = [this.#next, this.#filling];
    this.#filled = 0;
    this.#isPaused = true;
    this.#wake();
  }
}

/** As Node has it for its own client. */
const maxHeadBytes = 16 * 1024;

/** Undefined if it is malformed, tells no length, or has no body whatever its length says (204, 304). */
function parseHead(text: string): ResponseHead | undefined {
  const [statusLine = '', ...lines] = text.slice(0, -4).split('\r\n');
  const status = /^HTTP\/1\.1 (?!204|304)([2-5]\d\d)( |$)/.exec(statusLine)?.[1];
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const match = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line);
    if (!match) return undefined;
    const [, name = '', padded = ''] = match;
    const key = name.toLowerCase();
    const value = padded.trim();
    headers[key] = [headers[key] ?? [], value].flat().join(', ');
  }
  const { 'content-length': length = '', 'transfer-encoding': encoding } = headers;
  const isUsable = status !== undefined && encoding === undefined && /^\d{1,15}$/.test(length);
  return isUsable ? { statusCode: Number(status), headers, bytes: Number(length) } : undefined;
}

export interface ConnectionOptions {
  proxy: ProxySettings | undefined;
  /** A connection without traffic for this long fails, in ms. */
  silenceMs: number;
}

/** An idle connection is closed after this time, in ms. */
const idleMs = 10_000;

/** Reuses at most `connections` per host. Loads undici only now. The signal also aborts what is being opened. */
export async function openConnections(
  { proxy, silenceMs }: ConnectionOptions,
  connections: number,
  signal: AbortSignal,
): Promise<Dispatcher> {
  const { Agent } = await loadUndici();
  return new Agent({
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: await createConnector({
      proxy,
      signal,
      // undici's timeouts fire while a slow line still sends a large block.
      onConnected: limitSilence(silenceMs),
    }),
  });
}

export function limitSilence(silenceMs: number): (socket: Socket) => void {
  return (socket) => socket.setTimeout(silenceMs, () => socket.destroy(silenceError(silenceMs)));
}
