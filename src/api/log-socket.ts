import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { WebSocket } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import type { GantryError } from '../errors.ts';
import { ConnectionError } from './transport.ts';
import { createConnector, loadUndici } from './undici.ts';

/** A live log over a WebSocket. */
export interface LogSocket {
  /**
   * The texts received since the last call, in order. Waits up to `maxWaitMs` for the first, and `gatherMs` more for those
   * that follow it. `quiet` if there were none, `closed` after the last one.
   */
  next(maxWaitMs: number, gatherMs: number): Promise<string[] | 'quiet' | 'closed'>;
  /** Why it was closed, for messages; empty while it is open. */
  readonly closeReason: string;
  close(): void;
}

export type OpenLogSocket = (path: string, query: object, until?: AbortSignal) => Promise<LogSocket>;

interface Options {
  /** Origin of the logs, the only one that the token is sent to. */
  address: string;
  token: string;
  userAgent: string;
  proxy: ProxySettings | undefined;
  signal: AbortSignal;
  silenceMs: number;
}

/** The limits of the official client, in ms (docs/platform.md#logs). */
const handshakeMs = 5_000;
const pingMs = 10_000;
const pongMs = 5_000;
/** Buffer for a slow reader. On overflow the log is closed, and the rest is read from the history. */
const maxBufferedTexts = 10_000;
const maxBufferedCharacters = 16 * 1024 * 1024;

/**
 * Opens a live log, through the proxy if one is set. The platform expects the token in the query, so the URL must not
 * appear in any output, not even in an error. Rejects with ConnectionError.
 */
export async function openLogSocket(path: string, query: object, options: Options): Promise<LogSocket> {
  const { address, token, userAgent, proxy, signal, silenceMs } = options;
  const url = new URL(address + path);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const [name, value] of Object.entries({ ...query, token })) {
    if (value) url.searchParams.set(name, String(value));
  }
  const { Agent, WebSocket, ping } = await loadUndici();
  const connection = new LogConnection();
  const connect = await createConnector({
    proxy,
    signal: AbortSignal.any([signal, connection.signal]),
    ...connection.listeners,
  });
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  signal.throwIfAborted();
  const socket = new WebSocket(url, { dispatcher, headers: { 'user-agent': userAgent } });
  const buffer = new TextBuffer();
  let lastSeenAt = performance.now();
  let onClosed: (() => void) | undefined;

  const finish = (reason: string) => {
    if (buffer.closeReason) return;
    buffer.close(reason);
    clearInterval(pinging);
    pongs.unsubscribe(onPong);
    signal.removeEventListener('abort', abort);
    // If the server does not close the connection soon, destroy it, so that the process can exit.
    const timer = setTimeout(() => connection.destroy(), 200);
    if (socket.readyState !== socket.CLOSED) socket.close();
    onClosed = () => {
      clearTimeout(timer);
      connection.destroy();
    };
    if (socket.readyState === socket.CLOSED) onClosed();
  };
  const abort = () => finish('interrupted');
  const onPong = (message: unknown) => {
    if ((message as { websocket: unknown }).websocket === socket) lastSeenAt = performance.now();
  };
  const pongs = channel('undici:websocket:pong');
  pongs.subscribe(onPong);
  signal.addEventListener('abort', abort);
  const deadMs = Math.min(pingMs + pongMs, silenceMs);
  const pinging = setInterval(
    () => {
      if (performance.now() - lastSeenAt > deadMs) finish('the connection timed out');
      else ping(socket);
    },
    Math.min(pingMs, deadMs / 2),
  );
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    lastSeenAt = performance.now();
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    if (!buffer.add(text)) finish('too many lines to show');
  });
  socket.addEventListener('close', ({ code }) => {
    finish(code === 1000 || code === 1001 ? 'closed by the platform' : 'the connection was lost');
    onClosed?.();
  });

  await opened(socket, Math.min(handshakeMs, silenceMs)).catch(() => {
    finish('the connection failed');
    signal.throwIfAborted();
    throw connection.failure ?? new ConnectionError(`cannot open the live log of ${url.host}`, true, undefined);
  });
  return {
    async next(maxWaitMs, gatherMs) {
      const texts = await buffer.next(maxWaitMs, gatherMs);
      signal.throwIfAborted();
      return texts;
    },
    get closeReason() {
      return buffer.closeReason;
    },
    close: () => finish('closed'),
  };
}

/** Rejects without a reason, because the error of undici may contain the URL. */
function opened(socket: WebSocket, maxWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, maxWaitMs);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve();
    });
    // An error without a listener would be thrown; it is followed by a close.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', () => {
      clearTimeout(timer);
      reject();
    });
  });
}

/** Destroys a connection that is dead or still being opened, which undici's WebSocket cannot. */
class LogConnection {
  /** Why connecting failed. The error of undici may contain the URL, and with it the token. */
  failure: GantryError | undefined;
  readonly #aborted = new AbortController();
  #socket: Socket | undefined;

  get signal(): AbortSignal {
    return this.#aborted.signal;
  }

  readonly listeners = {
    onConnected: (socket: Socket) => {
      this.#socket = socket;
    },
    onFailed: (error: GantryError) => {
      this.failure = error;
    },
  };

  destroy(): void {
    this.#aborted.abort();
    this.#socket?.destroy();
  }
}

/** Received texts that were not read yet, up to a limit. */
class TextBuffer {
  closeReason = '';
  #texts: string[] = [];
  #characters = 0;
  #wake: () => void = () => {};

  /** Returns false if it is full. */
  add(text: string): boolean {
    if (this.closeReason) return true;
    if (this.#texts.length >= maxBufferedTexts || this.#characters + text.length > maxBufferedCharacters) return false;
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#texts.length === 1) this.#wake();
    return true;
  }

  close(reason: string): void {
    this.closeReason = reason;
    this.#wake();
  }

  async next(maxWaitMs: number, gatherMs: number): Promise<string[] | 'quiet' | 'closed'> {
    if (this.#texts.length === 0 && !this.closeReason) await this.#change(maxWaitMs);
    if (this.#texts.length === 0) return this.closeReason ? 'closed' : 'quiet';
    // At least until the next turn of the event loop: one chunk of the socket may contain more texts.
    if (!this.closeReason)
      await new Promise((done) => (gatherMs > 0 ? setTimeout(done, gatherMs) : setImmediate(done)));
    const texts = this.#texts;
    this.#texts = [];
    this.#characters = 0;
    return texts;
  }

  #change(maxWaitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, maxWaitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
