import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { WebSocket } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import type { GantryError } from '../errors.ts';
import { ConnectionError } from './transport.ts';
import { createConnector, loadUndici } from './undici.ts';

/** A live log: what the platform sends, as it comes. */
export interface LogSocket {
  /**
   * The texts that have come, in their order. Waits for the first; those that came with it, or follow it within
   * `gatherMs`, are there too. `quiet` when none came in so many milliseconds; `closed` once all was handed out and no
   * more will come.
   */
  next(patienceMs: number, gatherMs: number): Promise<string[] | 'quiet' | 'closed'>;
  /** Why it was closed, in words. */
  readonly closeReason: string;
  close(): void;
}

export type OpenLogSocket = (path: string, query: object, until?: AbortSignal) => Promise<LogSocket>;

interface Options {
  /** Origin of the logs: the token goes there and nowhere else. */
  address: string;
  token: string;
  userAgent: string;
  proxy: ProxySettings | undefined;
  signal: AbortSignal;
  silenceMs: number;
}

/** The limits of the official client, in milliseconds (docs/platform.md#logs). */
const handshakeMs = 5_000;
const pingMs = 10_000;
const pongMs = 5_000;
/** What may wait for a slow reader: more than that is left to be read from the history. */
const heldTexts = 10_000;
const heldCharacters = 16 * 1024 * 1024;

/**
 * Opens a live log, through the proxy if one is set. The platform expects the token in the query string, so the address
 * never appears in output, not even in an error. Rejects with ConnectionError.
 */
export async function openLogSocket(path: string, query: object, options: Options): Promise<LogSocket> {
  const { address, token, userAgent, proxy, signal, silenceMs } = options;
  const url = new URL(address + path);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const [name, value] of Object.entries({ ...query, token })) {
    if (value) url.searchParams.set(name, String(value));
  }
  const { Agent, WebSocket, ping } = await loadUndici();
  const line = new Line();
  const connect = await createConnector({ proxy, signal: AbortSignal.any([signal, line.signal]), ...line.hears });
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  signal.throwIfAborted();
  const socket = new WebSocket(url, { dispatcher, headers: { 'user-agent': userAgent } });
  const held = new Held();
  let alive = performance.now();
  let over: (() => void) | undefined;

  const finish = (why: string) => {
    if (held.why) return;
    held.end(why);
    clearInterval(pinging);
    pongs.unsubscribe(onPong);
    signal.removeEventListener('abort', abort);
    // What the other side does not close in a moment is cut, so that nothing of it outlives us.
    const cut = setTimeout(() => line.cut(), 200);
    if (socket.readyState !== socket.CLOSED) socket.close();
    over = () => {
      clearTimeout(cut);
      line.cut();
    };
    if (socket.readyState === socket.CLOSED) over();
  };
  const abort = () => finish('interrupted');
  const onPong = (message: unknown) => {
    if ((message as { websocket: unknown }).websocket === socket) alive = performance.now();
  };
  const pongs = channel('undici:websocket:pong');
  pongs.subscribe(onPong);
  signal.addEventListener('abort', abort);
  const deadMs = Math.min(pingMs + pongMs, silenceMs);
  const pinging = setInterval(
    () => {
      if (performance.now() - alive > deadMs) finish('the connection timed out');
      else ping(socket);
    },
    Math.min(pingMs, deadMs / 2),
  );
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    alive = performance.now();
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    if (!held.take(text)) finish('too many lines to show');
  });
  socket.addEventListener('close', ({ code }) => {
    finish(code === 1000 || code === 1001 ? 'closed by the platform' : 'the connection was lost');
    over?.();
  });

  await opened(socket, Math.min(handshakeMs, silenceMs)).catch(() => {
    finish('the connection failed');
    signal.throwIfAborted();
    throw line.failure ?? new ConnectionError(`cannot open the live log of ${url.host}`, true, undefined);
  });
  return {
    async next(patienceMs, gatherMs) {
      const found = await held.next(patienceMs, gatherMs);
      signal.throwIfAborted();
      return found;
    },
    get closeReason() {
      return held.why;
    },
    close: () => finish('closed'),
  };
}

/** Rejects without a reason: what the library knows of it may hold the address. */
function opened(socket: WebSocket, patienceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, patienceMs);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve();
    });
    // An error is followed by a close, but an error that nobody hears would be thrown.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', () => {
      clearTimeout(timer);
      reject();
    });
  });
}

/** The library cannot cut a connection whose other side is dead, nor one that is still being made: this can. */
class Line {
  /** Why there is no connection. What the library itself says may name the address, which holds the token. */
  failure: GantryError | undefined;
  readonly #over = new AbortController();
  #socket: Socket | undefined;

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  readonly hears = {
    onConnected: (socket: Socket) => {
      this.#socket = socket;
    },
    onFailed: (error: GantryError) => {
      this.failure = error;
    },
  };

  cut(): void {
    this.#over.abort();
    this.#socket?.destroy();
  }
}

/** Texts that came and were not asked for yet: only so many, since a reader may be slow, or asleep. */
class Held {
  why = '';
  private texts: string[] = [];
  private characters = 0;
  private wake: () => void = () => {};

  /** False when it is full. */
  take(text: string): boolean {
    if (this.why) return true;
    if (this.texts.length >= heldTexts || this.characters + text.length > heldCharacters) return false;
    this.texts.push(text);
    this.characters += text.length;
    if (this.texts.length === 1) this.wake();
    return true;
  }

  end(why: string): void {
    this.why = why;
    this.wake();
  }

  async next(patienceMs: number, gatherMs: number): Promise<string[] | 'quiet' | 'closed'> {
    if (this.texts.length === 0 && !this.why) await this.change(patienceMs);
    if (this.texts.length === 0) return this.why ? 'closed' : 'quiet';
    // Until the next turn of the event loop: of what arrived in one piece of the line not all was read yet.
    if (!this.why) await new Promise((done) => (gatherMs > 0 ? setTimeout(done, gatherMs) : setImmediate(done)));
    const found = this.texts;
    this.texts = [];
    this.characters = 0;
    return found;
  }

  private change(patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
