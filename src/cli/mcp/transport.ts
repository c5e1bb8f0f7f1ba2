import { PassThrough, type Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { turn } from '../../kernel/clock.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { InputLines } from './input-lines.ts';
import { readMessage } from './read-message.ts';

/**
 * The SDK's transport, but every request is answered: one that the SDK would drop by an error, and one that was received
 * before the end of stdin by its result, since a script may write its requests and close the pipe.
 */
export class DrainingTransport implements Transport {
  readonly #input = new PassThrough();
  readonly #output: Writable;
  readonly #stdio: StdioServerTransport;
  readonly #failure = new AbortController();
  readonly #unanswered = new Set<unknown>();
  #onIdle = () => {};
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#output = new Writable({
      write: (chunk, _, done) => void write(chunk).then(() => done(), done),
    });
    this.#output.on('error', (error) => this.#failure.abort(error));
    this.#stdio = new StdioServerTransport(this.#input, this.#output);
  }

  async start(): Promise<void> {
    this.#stdio.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.#unanswered.add(message.id);
      this.onmessage?.(message);
      // A canceled request is not answered.
      if ('method' in message && message.method === 'notifications/cancelled') this.#settle(message.params?.requestId);
    };
    this.#stdio.onclose = () => this.onclose?.();
    this.#stdio.onerror = (error) => this.onerror?.(error);
    await this.#stdio.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // The SDK's own `send` would change the digits of numbers.
    await this.#write(message);
    if (!('method' in message)) this.#settle(message.id);
  }

  close(): Promise<void> {
    return this.#stdio.close();
  }

  /** Passes stdin on until it ends and all requests are answered. Throws if stdout fails or at the signal. */
  async pump(stdin: Readable, until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until, this.#failure.signal]);
    const aborted = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    // It may come after the end.
    aborted.catch(() => {});
    try {
      await Promise.race([this.#passOn(stdin), aborted]);
      await Promise.race([new Promise<void>((resolve) => this.#whenIdle(resolve)), aborted]);
    } finally {
      // It would keep the process alive.
      stdin.destroy();
    }
  }

  async #passOn(stdin: Readable): Promise<void> {
    const lines = new InputLines((line) => this.#read(line));
    stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    await new Promise((resolve, reject) => stdin.once('end', resolve).once('close', resolve).once('error', reject));
    lines.end();
    // The last chunk has been passed on by then.
    await turn();
  }

  #read(line: string): void {
    const read = readMessage(line);
    if (!read) return;
    if ('message' in read) this.#input.write(`${read.message}\n`);
    // A failure ends the server.
    else this.#write(read.answer).catch(() => {});
  }

  #write(message: unknown): Promise<void> {
    const line = `${stringifyJson(message)}\n`;
    return new Promise((resolve, reject) => this.#output.write(line, (error) => (error ? reject(error) : resolve())));
  }

  #whenIdle(resolve: () => void): void {
    this.#onIdle = resolve;
    this.#settle();
  }

  #settle(id?: unknown): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onIdle();
  }
}
