import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { defined } from '../../kernel/json-text.ts';
import { trustCertificateFile } from '../../kernel/trusted-certificates.ts';
import { setFlag } from '../../kernel/v8-flags.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import { proxyFor, proxyName, urlHost, urlPort } from './proxy.ts';
import { connectTimeoutMs, toConnectionError } from './transport.ts';

/**
 * Loads undici. Its parser is WebAssembly, for which V8's baseline compiler is fast enough. The process would wait at exit
 * for the optimizing compiler, a third of the CPU time of a small copy (npm run bench -- transfer). The flag holds for the
 * whole process: transfer/hash-worker.mjs takes it back.
 */
export function loadUndici(): Promise<typeof import('undici')> {
  setFlag({ flag: '--liftoff-only', usual: ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'] });
  return import('undici');
}

/** Node reads into `buffer()`, and pauses if `callback` returns false. */
export interface ReadInto {
  buffer: () => Uint8Array;
  callback: (length: number) => boolean;
}

export interface ConnectorOptions {
  proxy: ProxySettings | undefined;
  /** Aborts connections that are being opened: requests that wait for them fail with its reason. */
  signal: AbortSignal;
  onConnected?: (socket: Socket) => void;
  /** Reads into memory of the caller instead of the socket's stream. */
  onread?: ReadInto | undefined;
}

/**
 * Opens the connections of undici, directly or through the proxy of the environment. undici's ProxyAgent reconnects in an
 * endless loop if a proxy closes the connection after CONNECT. Here the waiting requests fail, and the caller decides about
 * retries.
 */
export async function createConnector(options: ConnectorOptions): Promise<buildConnector.connector> {
  const { proxy: settings, signal, onConnected = () => {}, onread } = options;
  await trustCertificateFile();
  const { buildConnector } = await loadUndici();
  // Its types do not say that it returns the socket.
  const connect = buildConnector({ timeout: connectTimeoutMs, ...defined({ onread }) }) as (
    ...given: Parameters<buildConnector.connector>
  ) => Socket;
  const connecting = new Set<Socket>();
  const destroyAll = () => {
    for (const socket of connecting) socket.destroy(signal.reason);
  };
  signal.addEventListener('abort', destroyAll, { once: true });
  return (target, callback) => {
    const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
    const proxy = proxyFor(settings, url);
    const failed = (cause: Error) => {
      callback(toConnectionError(url, cause, false, proxy && proxyName(proxy)), null);
    };
    const opened = (socket: Socket) => {
      onConnected(socket);
      callback(null, socket);
    };
    const connectOver = (httpSocket?: Socket) => {
      const made = { ...target, ...defined({ httpSocket }) };
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

/** Opens one connection, as undici's are opened. Resolves to undefined if the URL needs a proxy. */
export async function openSocket(url: URL, options: ConnectorOptions): Promise<Socket | undefined> {
  if (proxyFor(options.proxy, url)) return undefined;
  const connect = await createConnector(options);
  const target = { protocol: url.protocol, host: url.host, hostname: urlHost(url), port: String(urlPort(url)) };
  return new Promise((resolve, reject) => {
    connect(target, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
  });
}
