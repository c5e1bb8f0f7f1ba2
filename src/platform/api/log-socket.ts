import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { after, every, onAbort, pause, turn } from '../../kernel/clock.ts';
import type { GantryError } from '../../kernel/errors.ts';
import { trustCertificateFile } from '../../kernel/trusted-certificates.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import { proxyAgent } from './sender.ts';
import { ConnectionError, onConnected, toConnectionError } from './transport.ts';

export interface LogSocket {
  /** Waits `maxWaitMs` for the first text, and `gatherMs` for others. `quiet` without any, `closed` after the last. */
  next(maxWaitMs: number, gatherMs: number): Promise<string[] | 'quiet' | 'closed'>;
  /** Why it was closed, for messages; empty while it is open. */
  readonly closeReason: string;
  /** The platform closed it as one that is complete (code 1000). */
  readonly isComplete: boolean;
  /** Ends a wait of `next`, which returns `quiet`. */
  wake(): void;
  close(): void;
}

export type OpenLogSocket = (path: string, query: object, until?: AbortSignal) => Promise<LogSocket>;

interface LogSocketOptions {
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

/** Its query has the token, so the URL must not appear anywhere, not even in an error. */
export async function openLogSocket(path: string, query: object, options: LogSocketOptions): Promise<LogSocket> {
  const { address, token, userAgent, proxy, signal, silenceMs } = options;
  const url = new URL(address + path);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  for (const [name, value] of Object.entries({ ...query, token })) if (value) url.searchParams.set(name, String(value));
  const { WebSocket } = await import('ws');
  const aborted = new AbortController();
  await trustCertificateFile();
  const agent = await proxyAgent(proxy, new URL(url.href.replace('ws', 'http')), {});
  signal.throwIfAborted();
  let isOpen = false;
  /** Undefined if the connection was opened: what fails then may name the URL, and with it the token. */
  let failure: GantryError | undefined;
  const request = {
    agent,
    headers: { 'user-agent': userAgent },
    finishRequest(sent: ClientRequest) {
      onConnected(sent, () => {
        isOpen = true;
      });
      sent.end();
    },
    // Read by the agent, which may still be opening a tunnel.
    until: AbortSignal.any([signal, aborted.signal]),
  };
  const socket = new WebSocket(url, request);
  const buffer = new TextBuffer();
  let isComplete = false;
  let lastSeenAt = performance.now();

  const finish = (reason: string) => {
    if (buffer.closeReason) return;
    buffer.close(reason);
    stopPinging();
    stopListening();
    aborted.abort();
    if (socket.readyState === socket.CLOSED) return;
    // If the server does not close the connection soon, destroy it, so that the process can exit.
    socket.once(
      'close',
      after(200, () => socket.terminate()),
    );
    socket.close();
  };
  const stopListening = onAbort(signal, () => finish('interrupted'));
  const deadMs = Math.min(pingMs + pongMs, silenceMs);
  const stopPinging = every(Math.min(pingMs, deadMs / 2), () => {
    if (performance.now() - lastSeenAt > deadMs) finish('the connection timed out');
    else if (socket.readyState === socket.OPEN) socket.ping();
  });
  const onActivity = () => {
    lastSeenAt = performance.now();
  };
  socket.on('pong', onActivity);
  socket.on('message', (data) => {
    onActivity();
    if (!buffer.add(String(data))) finish('too many lines to show');
  });
  socket.on('close', (code) => {
    isComplete = code === 1000 && !buffer.closeReason;
    finish(code === 1000 || code === 1001 ? 'closed by the platform' : 'the connection was lost');
  });

  // An error without a listener would be thrown; it is followed by a close.
  socket.on('error', (cause) => {
    if (!isOpen && !buffer.closeReason) failure ??= toConnectionError(url, cause, false, agent?.through);
  });
  const stopTimer = after(Math.min(handshakeMs, silenceMs), () => finish('the connection failed'));
  // Its error may contain the URL.
  const failed = () => {
    finish('the connection failed');
    signal.throwIfAborted();
    throw failure ?? new ConnectionError(`cannot open the live log of ${url.host}`, true, undefined);
  };
  await once(socket, 'open').catch(failed).finally(stopTimer);
  return {
    async next(maxWaitMs, gatherMs) {
      const texts = await buffer.next(maxWaitMs, gatherMs);
      signal.throwIfAborted();
      return texts;
    },
    get closeReason() {
      return buffer.closeReason;
    },
    get isComplete() {
      return isComplete;
    },
    wake: () => buffer.wake(),
    close: () => finish('closed'),
  };
}

class TextBuffer {
  closeReason = '';
  #texts: string[] = [];
  #characters = 0;
  wake: () => void = () => {};

  add(text: string): boolean {
    if (this.closeReason) return true;
    if (this.#texts.length >= maxBufferedTexts || this.#characters + text.length > maxBufferedCharacters) return false;
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#texts.length === 1) this.wake();
    return true;
  }

  close(reason: string): void {
    this.closeReason = reason;
    this.wake();
  }

  async next(maxWaitMs: number, gatherMs: number): Promise<string[] | 'quiet' | 'closed'> {
    if (this.#texts.length === 0 && !this.closeReason && maxWaitMs > 0) await this.#change(maxWaitMs);
    if (this.#texts.length === 0) return this.closeReason ? 'closed' : 'quiet';
    // At least until the next turn of the event loop: one chunk of the socket may contain more texts.
    if (!this.closeReason) await (gatherMs > 0 ? pause(gatherMs) : turn());
    const texts = this.#texts;
    this.#texts = [];
    this.#characters = 0;
    return texts;
  }

  #change(maxWaitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = after(maxWaitMs, resolve);
      this.wake = () => {
        stopTimer();
        resolve();
      };
    });
  }
}
