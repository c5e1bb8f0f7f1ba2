import type { Socket } from 'node:net';
import { openSocket } from '../../platform/api/undici.ts';
import type { BlockPool } from './block-pool.ts';
import { DownloadConnection, type ReceivedBlock, type ResponseHead } from './download-connection.ts';
import { type ConnectionOptions, limitSilence } from './http-pool.ts';
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
