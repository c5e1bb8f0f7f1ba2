import type { Readable } from 'node:stream';
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { turn } from '../../kernel/clock.ts';
import { stringifyJson } from '../../kernel/json-text.ts';

/** As the SDK's transport, but requests are answered although stdin has ended, and numbers keep their digits. */
export class DrainingTransport implements Transport {
  readonly #failure = new AbortController();
  readonly #unanswered = new Set<unknown>();
  #onAnswered = () => {};
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;

  constructor(private readonly write: (bytes: Uint8Array) => Promise<void>) {}

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if (!('method' in message)) this.#settle(message.id);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Passes stdin on until it ends and all requests are answered. Throws if stdout fails or at the signal. */
  async pump(stdin: Readable, until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until, this.#failure.signal]);
    const aborted = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([this.#answerAll(stdin), aborted]);
    } finally {
      // It would keep the process alive.
      stdin.destroy();
    }
  }

  async #answerAll(stdin: Readable): Promise<void> {
    let rest = '';
    for await (const text of stdin.setEncoding('utf8')) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#read(line);
    }
    this.#read(rest);
    // The SDK begins to answer in a later turn.
    await turn();
    await new Promise<void>((resolve) => {
      this.#onAnswered = resolve;
      this.#settle();
    });
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    try {
      this.#receive(deserializeMessage(line));
    } catch (cause) {
      const error = cause instanceof SyntaxError ? parseError : invalidRequest;
      void this.#write({ jsonrpc: '2.0', id: null, error });
    }
  }

  #receive(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#unanswered.add(message.id);
    this.onmessage?.(message);
    // A canceled request is not answered.
    if ('method' in message && message.method === 'notifications/cancelled') this.#settle(message.params?.requestId);
  }

  #settle(id?: unknown): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }

  async #write(message: object): Promise<void> {
    await this.write(Buffer.from(`${stringifyJson(message)}\n`)).catch((error) => this.#failure.abort(error));
  }
}

const parseError = { code: -32_700, message: 'Parse error' };
const invalidRequest = { code: -32_600, message: 'Invalid Request' };
