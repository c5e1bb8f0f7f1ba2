import { Agent as PlainAgent, request as requestPlainly } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions, request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyServer } from '../config/settings.ts';
import { proxyName, urlHost, urlPort } from './proxy.ts';
import { ConnectionError, connectionFailureReason, connectTimeoutError, connectTimeoutMs } from './transport.ts';

/** Where a tunnel leads to. */
export interface TunnelTarget {
  host: string;
  port: number;
}

/**
 * A connection to the target through the proxy, which learns its host and port and nothing else. Rejects with a
 * ConnectionError that names the proxy, or with the reason of the signal; in either case the request has not left.
 */
export function openTunnel(proxy: ProxyServer, { host, port }: TunnelTarget, signal?: AbortSignal): Promise<Socket> {
  const url = new URL(proxy.address);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const send = url.protocol === 'https:' ? requestOverTls : requestPlainly;
    const request = send({
      host: urlHost(url),
      port: urlPort(url),
      method: 'CONNECT',
      path: authority,
      agent: false,
      headers: { host: authority, ...credentialsOf(url) },
    });
    const timer = setTimeout(() => request.destroy(connectTimeoutError()), connectTimeoutMs);
    const cut = () => request.destroy();
    signal?.addEventListener('abort', cut, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cut);
    };
    request
      .on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
        settle();
        // Whoever uses the socket next listens to its errors; until then nobody does.
        socket.on('error', () => {});
        if (signal?.aborted) {
          socket.destroy();
          return reject(signal.reason);
        }
        if (statusCode < 200 || statusCode > 299) {
          socket.destroy();
          return reject(refusedBy(proxy, authority, statusCode));
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      })
      .on('error', (cause) => {
        settle();
        reject(signal?.aborted ? signal.reason : unreachable(proxy, cause));
      })
      .end();
  });
}

/** As Node's own agent keeps connections for the next request. */
const kept: AgentOptions = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 };

/** An agent of `node:http` or `node:https` whose connections are tunnels. */
export function tunnelAgent(proxy: ProxyServer, url: URL, options: AgentOptions = kept): PlainAgent {
  return url.protocol === 'https:' ? new TlsTunnels(proxy, options) : new PlainTunnels(proxy, options);
}

/** Options of a connection as an agent passes them on, with the signal of the request (`begin` in `transport.ts`). */
type Connecting = TunnelTarget & { until?: AbortSignal };
type Opened = (error: Error | null, stream: Duplex) => void;

class PlainTunnels extends PlainAgent {
  /** For messages: see `begin` in `transport.ts`. */
  readonly through: string;

  constructor(
    private readonly proxy: ProxyServer,
    options: AgentOptions,
  ) {
    super(options);
    this.through = proxyName(proxy);
  }

  override createConnection(options: unknown, opened?: Opened): undefined {
    passOn(openTunnel(this.proxy, options as Connecting, (options as Connecting).until), opened);
  }
}

class TlsTunnels extends Agent {
  readonly through: string;

  constructor(
    private readonly proxy: ProxyServer,
    options: AgentOptions,
  ) {
    super(options);
    this.through = proxyName(proxy);
  }

  override createConnection(options: RequestOptions, opened?: Opened): undefined {
    const { until, ...target } = options as Connecting;
    // The parent class speaks TLS over a socket that it is given.
    const encrypted = (socket: Socket) => super.createConnection({ ...options, socket } as RequestOptions) as Duplex;
    passOn(openTunnel(this.proxy, target, until).then(encrypted), opened);
  }
}

function passOn(opening: Promise<Duplex>, opened: Opened = () => {}): void {
  opening.then(
    (stream) => opened(null, stream),
    (error) => opened(error, undefined as never),
  );
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A password may hold a percent sign that nobody has encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refusedBy(proxy: ProxyServer, authority: string, status: number): ConnectionError {
  const { username } = new URL(proxy.address);
  const { variable } = proxy;
  const retryable = status >= 500 || status === 408 || status === 429;
  const name = proxyName(proxy);
  if (status === 407) {
    const [what, fix] = username
      ? ['rejected the user name or password', `correct the user name and password in ${variable}`]
      : ['requires a user name and password', `add a user name and password to the address in ${variable}`];
    return new ConnectionError(`${name} ${what} (HTTP 407)`, false, undefined, { retryable, fix });
  }
  const what = status >= 500 ? 'could not connect to' : 'refused to connect to';
  return new ConnectionError(`${name} ${what} ${authority} (HTTP ${status})`, false, undefined, {
    retryable,
    fix: `check ${variable}, or add the host to NO_PROXY to connect directly`,
  });
}

function unreachable(proxy: ProxyServer, cause: Error): ConnectionError {
  const reason = /^HPE_/.test(String((cause as NodeJS.ErrnoException).code))
    ? 'it does not speak HTTP'
    : connectionFailureReason(cause);
  return new ConnectionError(`cannot connect to ${proxyName(proxy)}: ${reason}`, false, cause, {
    fix: `check ${proxy.variable}`,
  });
}
