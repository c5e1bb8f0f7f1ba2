import type { ProxySettings } from '../config/proxy-settings.ts';
import { type DispatchedRequest, dispatchForBytes, dispatchOptions } from './dispatch.ts';
import type { HttpReply } from './http-reply.ts';
import { createConnector, loadUndici } from './undici.ts';

export interface RepeatedRequest extends DispatchedRequest {
  proxy: ProxySettings | undefined;
}

export interface LoadCalls {
  /** Starts a call, on a connection of its own if all are in use: calls never wait for each other. */
  start(): Promise<Pick<HttpReply, 'status' | 'headers'> & { bodyStart: string }>;
  abort(reason: Error): void;
  close(): void;
}

/** Servers close idle connections after 5 seconds or more. */
const maxIdleMs = 3_000;
/** How much of a response is kept: enough for the run id, with which the default runtime begins it. */
const bodyStartBytes = 128;

/** Sends one request thousands of times a second, with little work for each. */
export async function openLoadCalls(request: RepeatedRequest): Promise<LoadCalls> {
  const { Agent } = await loadUndici();
  const closing = new AbortController();
  const connect = await createConnector({ proxy: request.proxy, signal: closing.signal });
  const agent = new Agent({ connect, pipelining: 1, keepAliveTimeout: maxIdleMs });
  const options = dispatchOptions(request);
  // undici itself ends a call that is silent.
  const limit = { bytes: Number.POSITIVE_INFINITY, truncates: false, silenceMs: Number.POSITIVE_INFINITY };
  let aborting = new AbortController();
  return {
    async start() {
      const { statusCode: status, headers, body } = await dispatchForBytes(agent, options, aborting.signal, limit);
      return { status, headers, bodyStart: body[0]?.toString('latin1', 0, bodyStartBytes) ?? '' };
    },
    abort(reason) {
      aborting.abort(reason);
      aborting = new AbortController();
    },
    close() {
      const reason = new Error('closed');
      closing.abort(reason);
      agent.destroy(reason).catch(() => {});
    },
  };
}
