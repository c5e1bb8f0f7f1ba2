import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { silenceError } from '../../platform/api/idle-timeout.ts';
import { createConnector, loadUndici } from '../../platform/api/undici.ts';
import type { ProxySettings } from '../../platform/config/proxy-settings.ts';

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
