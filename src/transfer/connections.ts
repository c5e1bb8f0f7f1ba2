import type { Dispatcher } from 'undici';
import { loadUndici, proxyAgent } from '../api/undici.ts';
import type { ProxySettings } from '../config/settings.ts';

export interface ConnectionOptions {
  proxy: ProxySettings | undefined;
  /** A connection on which no byte moves for so many milliseconds is given up. */
  silenceMs: number;
}

/** How long a connection waits for its next use, in milliseconds. */
const idleMs = 10_000;

/**
 * Connections that are kept and used again, at most so many to each host: when one becomes free just after another was
 * asked for, waiting a moment is better than opening one more. undici is loaded here, when there is something to send,
 * not before.
 */
export async function openConnections(
  { proxy, silenceMs }: ConnectionOptions,
  connections: number,
): Promise<Dispatcher> {
  const { Agent, buildConnector } = await loadUndici();
  const kept = { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, connections };
  if (proxy) {
    // Behind a proxy the socket is not ours to watch; between two blocks of a body counts as well.
    const watched = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
    return proxyAgent(proxy, { ...kept, ...watched });
  }
  const connect = buildConnector({});
  return new Agent({
    ...kept,
    headersTimeout: 0,
    bodyTimeout: 0,
    // The socket itself knows best: on a slow line a block is under way for long, byte by byte.
    connect: (options, opened) =>
      connect(options, (...[error, socket]) => {
        socket?.setTimeout(silenceMs, () => socket.destroy(new Error(`no byte for ${silenceMs / 1000} s`)));
        if (socket) opened(null, socket);
        else opened(error ?? new Error('no connection'), null);
      }),
  });
}
