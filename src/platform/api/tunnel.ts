import { Agent as PlainAgent, request as requestPlainly } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions, request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, onAbort } from '../../kernel/clock.ts';
import { systemCode } from '../../kernel/errors.ts';
import type { ProxyServer } from '../config/proxy-settings.ts';
import { decodeIfValid } from '../contract/address.ts';
import { proxyName, urlHost, urlPort } from './proxy.ts';
import { failureReason, isTransientStatus } from './transient-failures.ts';
import { ConnectionError, connectTimeoutError, connectTimeoutMs } from './transport.ts';

export interface TunnelTarget {
  host: string;
  port: number;
}

/** The proxy learns only host and port. If it rejects, the request was not sent. */
export function openTunnel(proxy: ProxyServer, { host, port }: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const url = new URL(proxy.address);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const send = url.protocol === 'https:' ? requestOverTls : requestPlainly;
    const request = send({
      host: urlHost(url),
      port: urlPort(url),
      method: 'CONNECT',
      path: authority,
      agent: false,
      headers: { host: authority, ...credentialsOf(url) },
    });
    const stopTimer = after(connectTimeoutMs, () => request.destroy(connectTimeoutError()));
    const stopListening = onAbort(signal, () => request.destroy());
    const cleanUp = () => {
      stopTimer();
      stopListening();
    };
    request
      .on('connect', ({ statusCode = 0 }, socket: Socket, head) => {
        cleanUp();
        // Until the socket is used, an error would have no listener.
        socket.on('error', () => {});
        const isRefused = statusCode < 200 || statusCode > 299;
        if (signal.aborted || isRefused) {
          socket.destroy();
          return reject(signal.aborted ? signal.reason : connectRejectedError(proxy, authority, statusCode));
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      })
      .on('error', (cause) => {
        cleanUp();
        reject(signal.aborted ? signal.reason : unreachableError(proxy, cause));
      })
      // Has no effect after the others.
      .on('close', () => reject(unreachableError(proxy, new Error('closed without a response'))))
      .end();
  });
}

const defaultAgentOptions: AgentOptions = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 };

/** `openRequest` in transport.ts reads `through`, for messages, and gives `until`, the signal of the request. */
export function tunnelAgent(proxy: ProxyServer, url: URL, options: AgentOptions = defaultAgentOptions) {
  const agent = url.protocol === 'https:' ? new Agent(options) : new PlainAgent(options);
  // Adds TLS to a given socket.
  const encrypt = agent.createConnection.bind(agent);
  const createConnection = (given: RequestOptions, opened: ConnectCallback = () => {}) => {
    const { until, ...target } = given as TunnelTarget & { until: AbortSignal };
    const opening = openTunnel(proxy, target, until);
    const stream =
      agent instanceof Agent
        ? opening.then((socket) => encrypt({ ...given, socket } as RequestOptions) as Duplex)
        : opening;
    stream.then(
      (duplex) => opened(null, duplex),
      (error) => opened(error, undefined as never),
    );
    return undefined;
  };
  return Object.assign(agent, { through: proxyName(proxy), createConnection });
}

type ConnectCallback = (error: Error | null, stream: Duplex) => void;

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  // A password may contain an unencoded percent sign.
  const pair = `${decodeIfValid(username)}:${decodeIfValid(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function connectRejectedError(proxy: ProxyServer, authority: string, status: number): ConnectionError {
  const { username } = new URL(proxy.address);
  const { variable } = proxy;
  const retryable = isTransientStatus(status);
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

function unreachableError(proxy: ProxyServer, cause: Error): ConnectionError {
  const reason = /^HPE_/.test(systemCode(cause)) ? 'it does not speak HTTP' : failureReason(cause);
  return new ConnectionError(`cannot connect to ${proxyName(proxy)}: ${reason}`, false, cause, {
    fix: `check ${proxy.variable}`,
  });
}
