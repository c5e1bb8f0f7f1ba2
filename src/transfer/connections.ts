import type { Dispatcher } from 'undici';
import { createConnector, loadUndici } from '../api/undici.ts';
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
 * not before. The signal cuts connections that are still being made.
 */
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
      // The socket itself knows best: on a slow line a block is under way for long, byte by byte.
      onConnected: (socket) =>
        socket.setTimeout(silenceMs, () => socket.destroy(new Error(`no byte for ${silenceMs / 1000} s`))),
    }),
  });
}
