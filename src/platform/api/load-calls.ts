import type { Dispatcher } from 'undici';
import type { ProxySettings } from '../config/proxy-settings.ts';
import { dispatchOptions } from './dispatch.ts';
import type { HttpReply } from './http-reply.ts';
import { createConnector, loadUndici } from './undici.ts';

export interface RepeatedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  proxy: ProxySettings | undefined;
  /** A call without a byte for this long has failed, in ms. */
  silenceMs: number;
}

/** Hears how each call ended, once. */
export interface LoadListener {
  replied(call: number, status: number, headers: HttpReply['headers'], bodyStart: string): void;
  failed(call: number, reason: unknown): void;
}

export interface LoadCalls {
  /** Starts a call, on a connection of its own if all are in use: calls never wait for each other. */
  start(call: number, listener: LoadListener): void;
  abort(reason: Error): void;
  close(): void;
}

/** Servers close idle connections after 5 seconds or more. */
const maxIdleMs = 3_000;
/** Of a response: enough for the run id, with which the default runtime begins it. */
const bodyStartBytes = 128;

/** Sends one request thousands of times a second, with little work for each. */
export async function openLoadCalls(request: RepeatedRequest): Promise<LoadCalls> {
  const { Agent } = await loadUndici();
  const closing = new AbortController();
  const connect = await createConnector({ proxy: request.proxy, signal: closing.signal });
  const agent = new Agent({ connect, pipelining: 1, keepAliveTimeout: maxIdleMs });
  const options = dispatchOptions(request);
  const inFlight = new Set<LoadCall>();
  return {
    start: (call, listener) => void agent.dispatch(options, new LoadCall(call, listener, inFlight)),
    abort(reason) {
      for (const call of inFlight) call.abort(reason);
    },
    close() {
      const reason = new Error('closed');
      closing.abort(reason);
      agent.destroy(reason).catch(() => {});
    },
  };
}

class LoadCall implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: HttpReply['headers'] = {};
  #bodyStart = '';
  #controller: Dispatcher.DispatchController | undefined;

  constructor(
    private readonly call: number,
    private readonly listener: LoadListener,
    private readonly inFlight: Set<LoadCall>,
  ) {
    inFlight.add(this);
  }

  abort(reason: Error): void {
    // One that waits for its connection ends when that is closed.
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpReply['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const missing = bodyStartBytes - this.#bodyStart.length;
    if (missing > 0) this.#bodyStart += chunk.toString('latin1', 0, missing);
  }

  onResponseEnd(): void {
    this.inFlight.delete(this);
    this.listener.replied(this.call, this.#status, this.#headers, this.#bodyStart);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.inFlight.delete(this);
    this.listener.failed(this.call, error);
  }
}
