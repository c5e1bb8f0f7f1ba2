import type { Readable } from 'node:stream';
import { type JSONRPCMessage, ReadBuffer, type Transport } from '@modelcontextprotocol/server';
import { turn } from '../../kernel/clock.ts';
import { stringifyJson } from '../../kernel/json-text.ts';

/** As the SDK's transport, but requests are answered although stdin has ended, and numbers keep their digits. */
export class DrainingTransport implements Transport {
  readonly #buffer = new ReadBuffer();
  readonly #failure = new AbortController();
  readonly #unanswered = new Set<unknown>();
  #onAnswered = () => {};
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(private readonly write: (bytes: Uint8Array) => Promise<void>) {}

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    await this.write(Buffer.from(`${stringifyJson(message)}\n`)).catch((error) => this.#failure.abort(error));
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
    for await (const chunk of stdin) this.#read(Buffer.from(chunk));
    // What comes last may have no line break.
    this.#read(Buffer.from('\n'));
    // The SDK begins to answer in a later turn.
    await turn();
    await new Promise<void>((resolve) => {
      this.#onAnswered = resolve;
      this.#settle();
    });
  }

  #read(chunk: Buffer): void {
    this.#buffer.append(chunk);
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (!message) return;
        this.#receive(message);
      } catch (error) {
        // The line is no message: it is dropped.
        this.onerror?.(error as Error);
      }
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
}
