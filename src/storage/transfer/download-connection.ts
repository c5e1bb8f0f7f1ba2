import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { ReadInto } from '../../platform/api/undici.ts';
import type { Block } from './block-pool.ts';

/** Bytes of a response, in a block that is reused once the next one is requested. */
export interface ReceivedBlock {
  block: Block;
  bytes: Buffer;
}

/** The head of a response whose length is known. */
export interface ResponseHead {
  statusCode: number;
  headers: IncomingHttpHeaders;
  bytes: number;
}

/** Reads responses straight into blocks. Only those with a Content-Length; others need a complete client. */
export class DownloadConnection {
  isReusable = false;
  #socket: Socket | undefined;
  #filling: Block;
  /** Takes what a TLS socket delivers after it was told to pause. */
  #next: Block;
  #filled = 0;
  #head: ResponseHead | 'incomplete' | 'unknown' = 'incomplete';
  /** Bytes of the body that have not arrived. */
  #missing = 0;
  #full: ReceivedBlock[] = [];
  #isPaused = false;
  #isClosed = false;
  #error: Error | undefined;
  #wake = () => {};

  /** The blocks have the same length. */
  constructor(readonly blocks: readonly [Block, Block]) {
    [this.#filling, this.#next] = blocks;
  }

  get onread(): ReadInto {
    return { buffer: () => this.#room(), callback: (length) => this.#received(length) };
  }

  attach(socket: Socket): void {
    this.#socket = socket;
    const closed = (error?: Error) => {
      this.#isClosed = true;
      this.isReusable = false;
      this.#error ??= error;
      this.#wake();
    };
    socket
      .on('error', closed)
      .on('end', () => closed())
      .on('close', () => closed());
  }

  /** Sends the head of a request. Resolves to undefined if the length of the response is unknown. */
  async request(head: string): Promise<ResponseHead | undefined> {
    this.isReusable = false;
    this.#head = 'incomplete';
    this.#socket?.write(head, 'latin1');
    while (this.#head === 'incomplete') {
      if (this.#error) throw this.#error;
      if (this.#isClosed) throw new Error('the connection closed before the response');
      await this.#read();
    }
    return this.#head === 'unknown' ? undefined : this.#head;
  }

  /** The body; ends early if the connection closes. */
  async *receive(): AsyncGenerator<ReceivedBlock> {
    while (this.#missing > 0 || this.#full.length > 0) {
      const received = this.#full.shift();
      if (received) yield received;
      else if (this.#isClosed && this.#filled > 0) this.#handOver();
      else if (this.#error) throw this.#error;
      else if (this.#isClosed) return;
      else await this.#read();
    }
    const { connection = '' } = (this.#head as ResponseHead).headers;
    this.isReusable = !this.#isClosed && !/\bclose\b/i.test(connection);
  }

  destroy(error?: Error): void {
    this.#isClosed = true;
    this.#error ??= error;
    this.#filled = 0;
    this.#socket?.destroy();
    this.#wake();
  }

  #read(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (!this.#isPaused) return;
      this.#isPaused = false;
      this.#socket?.resume();
    });
  }

  /** Where Node reads to next. Never beyond the body: what follows belongs to the next response. */
  #room(): Uint8Array {
    const end = this.#head === 'incomplete' ? this.#filling.bytes.length : this.#filled + Math.max(1, this.#missing);
    return this.#filling.bytes.subarray(this.#filled, end);
  }

  #received(length: number): boolean {
    this.#filled += length;
    if (this.#head === 'incomplete') this.#parseHead();
    else this.#missing -= length;
    if (this.#missing < 0) this.destroy(new Error('the response is longer than its head says'));
    const isFull = this.#filled === this.#filling.bytes.length || this.#missing === 0;
    if (isFull && this.#head !== 'incomplete') this.#handOver();
    return !this.#isPaused;
  }

  #parseHead(): void {
    const { bytes } = this.#filling;
    const length = bytes.subarray(0, this.#filled).indexOf('\r\n\r\n') + 4;
    if (length < 4 && this.#filled < Math.min(bytes.length, maxHeadBytes)) return;
    const head = length < 4 ? undefined : parseHead(bytes.toString('latin1', 0, length));
    const isKnown = head !== undefined && this.#filled - length <= head.bytes;
    this.#head = isKnown ? head : 'unknown';
    bytes.copyWithin(0, length, this.#filled);
    this.#filled -= length;
    this.#missing = isKnown ? head.bytes - this.#filled : 0;
    this.#wake();
  }

  #handOver(): void {
    const block = this.#filling;
    if (this.#filled > 0) this.#full.push({ block, bytes: block.bytes.subarray(0, this.#filled) });
    [this.#filling, this.#next] = [this.#next, this.#filling];
    this.#filled = 0;
    this.#isPaused = true;
    this.#wake();
  }
}

/** As Node has it for its own client. */
const maxHeadBytes = 16 * 1024;

/** Undefined if it is malformed, tells no length, or has no body whatever its length says (204, 304). */
function parseHead(text: string): ResponseHead | undefined {
  const [statusLine = '', ...lines] = text.slice(0, -4).split('\r\n');
  const status = /^HTTP\/1\.1 (?!204|304)([2-5]\d\d)( |$)/.exec(statusLine)?.[1];
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const match = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line);
    if (!match) return undefined;
    const [, name = '', padded = ''] = match;
    const key = name.toLowerCase();
    const value = padded.trim();
    headers[key] = [headers[key] ?? [], value].flat().join(', ');
  }
  const { 'content-length': length = '', 'transfer-encoding': encoding } = headers;
  const isUsable = status !== undefined && encoding === undefined && /^\d{1,15}$/.test(length);
  return isUsable ? { statusCode: Number(status), headers, bytes: Number(length) } : undefined;
}
