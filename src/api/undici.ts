import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { buildConnector } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import type { GantryError } from '../errors.ts';
import { proxyFor, proxyName, urlHost, urlPort } from './proxy.ts';
import { connectTimeoutMs, toConnectionError } from './transport.ts';

/**
 * Loads undici. Its parser is WebAssembly: V8's first compiler is fast enough for it, and the process would wait at its
 * end for the second one, a third of the CPU time of a small copy (npm run bench -- transfer).
 */
export function loadUndici(): Promise<typeof import('undici')> {
  setFlagsFromString('--liftoff-only');
  return import('undici');
}

export interface ConnectorOptions {
  proxy: ProxySettings | undefined;
  /** Cuts connections that are being made: what waits for them fails with its reason. */
  signal: AbortSignal;
  onConnected?: (socket: Socket) => void;
  /** A connection that was not made. */
  onFailed?: (error: GantryError) => void;
}

/**
 * Makes the connections of undici, directly or through the proxy of the environment. undici's own agent for proxies
 * connects again without a pause or an end when a proxy closes the connection after CONNECT; here a connection that
 * fails is a failure of the requests that wait for it, and the caller decides about the next try.
 */
export async function createConnector(options: ConnectorOptions): Promise<buildConnector.connector> {
  const { proxy: settings, signal, onConnected = () => {}, onFailed = () => {} } = options;
  const { buildConnector } = await loadUndici();
  // Its types hide that it returns the socket.
  const connect = buildConnector({ timeout: connectTimeoutMs }) as (
    ...given: Parameters<buildConnector.connector>
  ) => Socket;
  const connecting = new Set<Socket>();
  const cut = () => {
    for (const socket of connecting) socket.destroy(signal.reason);
  };
  signal.addEventListener('abort', cut, { once: true });
  return (target, callback) => {
    const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
    const proxy = proxyFor(settings, url);
    const failed = (cause: Error) => {
      const error = toConnectionError(url, cause, false, proxy && proxyName(proxy));
      onFailed(error);
      callback(error, null);
    };
    const opened = (socket: Socket) => {
      onConnected(socket);
      callback(null, socket);
    };
    const connectOver = (httpSocket?: Socket) => {
      const made = { ...target, ...(httpSocket && { httpSocket }) };
      const socket = connect(made, (...[error]) => {
        connecting.delete(socket);
        if (error) failed(error);
        else opened(socket);
      });
      connecting.add(socket);
    };
    if (signal.aborted) return failed(signal.reason);
    if (!proxy) return connectOver();
    import('./tunnel.ts')
      .then(({ openTunnel }) => openTunnel(proxy, { host: urlHost(url), port: urlPort(url) }, signal))
      .then((socket) => (target.protocol === 'https:' ? connectOver(socket) : opened(socket)))
      .catch(failed);
  };
}
