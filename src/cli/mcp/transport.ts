import { PassThrough, type Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { turn } from '../../kernel/clock.ts';
import { isRecord, JsonNumber, parseJson, stringifyJson } from '../../kernel/json-text.ts';

/** The SDK's transport, but every request is answered, also a wrong one, and one that came before the end of stdin. */
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
    let rest = '';
    stdin.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#read(line);
    });
    await new Promise((resolve, reject) => stdin.once('end', resolve).once('close', resolve).once('error', reject));
    // What comes last may have no line break.
    this.#read(rest);
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

/** What a line of stdin has: a message that the SDK understands, or the answer to one that it would drop. */
type ParsedLine = { message: string } | { answer: unknown };

/** Undefined for what has no answer: an empty line, and a notification or a response that cannot be understood. */
function readMessage(line: string): ParsedLine | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    return { answer: failure(null, codes.parse, `not JSON: ${(error as Error).message}`) };
  }
  if (Array.isArray(value)) return readBatch(value);
  const problem = problemOf(value);
  return problem ? answerTo(value, problem) : { message: line };
}

type Problem = [code: number, message: string];

const codes = { parse: -32700, request: -32600, params: -32602 };

function problemOf(value: unknown): Problem | undefined {
  if (!isRecord(value)) return [codes.request, 'a message is a JSON object'];
  if (Object.hasOwn(value, 'id') && Object.hasOwn(value, 'method') && !isId(value.id)) {
    return [codes.request, 'the id of a request is a text or a whole number of up to 15 digits'];
  }
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)) return undefined;
  const { jsonrpc, method, params = {} } = value;
  if (jsonrpc !== '2.0') return [codes.request, '"jsonrpc" must be "2.0"'];
  if (typeof method !== 'string') return [codes.request, '"method" must be a text'];
  return isRecord(params) ? [codes.params, 'invalid "params"'] : [codes.params, '"params" must be an object'];
}

function answerTo(value: unknown, [code, message]: Problem): ParsedLine | undefined {
  if (!isRecord(value)) return { answer: failure(null, code, message) };
  const isNotification = !Object.hasOwn(value, 'id') && typeof value.method === 'string';
  const isResponse = Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  if (isNotification || isResponse) return undefined;
  return { answer: failure(value.id, code, message) };
}

/** MCP has no batches. Its requests are answered, since a client waits for them. */
function readBatch(messages: readonly unknown[]): ParsedLine | undefined {
  const message = 'MCP has no batches: send each message on a line of its own';
  if (messages.length === 0) return { answer: failure(null, codes.request, message) };
  const answers = messages
    .map((each) => answerTo(each, [codes.request, message]))
    .flatMap((read) => (read && 'answer' in read ? [read.answer] : []));
  return answers.length === 0 ? undefined : { answer: answers };
}

/** With the id as it was sent, so that the client finds its request; null for one that can be no id. */
function failure(id: unknown, code: number, message: string): object {
  const isShown = typeof id === 'string' || typeof id === 'number' || id instanceof JsonNumber;
  return { jsonrpc: '2.0', id: isShown ? id : null, error: { code, message } };
}

/** Another number could not be sent back with its digits. */
function isId(id: unknown): boolean {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
