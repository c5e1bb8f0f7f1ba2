import type { Agent, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { after, onAbort } from '../../kernel/clock.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { HttpReply } from './http-reply.ts';
import { silenceError } from './idle-timeout.ts';
import { proxyAgent } from './sender.ts';
import {
  type HttpRequest,
  incompleteReply,
  lacksEnd,
  openRequest,
  toConnectionError,
  waitForResponse,
} from './transport.ts';

export type OutgoingBody = Uint8Array | BodyStream;

/** A body that is read once, while it is sent. */
export interface BodyStream {
  /** In bytes. If undefined, the body is sent with chunked encoding. */
  length: number | undefined;
  read: () => AsyncIterable<Uint8Array>;
}

export interface StreamedRequest extends Pick<HttpRequest, 'method' | 'url' | 'headers' | 'signal'> {
  body: OutgoingBody | undefined;
  proxy: ProxySettings | undefined;
  /** The agent of {@link keptConnections}; without it, the request has a connection of its own. */
  agent?: Agent | undefined;
  /** Fails if no byte could be sent, or none of a response of known length arrived, for this long, in ms. */
  silenceMs: number;
}

export interface StreamedReply {
  status: number;
  statusText: string;
  headers: Record<string, string | string[] | undefined>;
  /** Throws ConnectionError if the body is incomplete or silent. */
  chunks: AsyncGenerator<Buffer>;
  close: () => Promise<void>;
}

interface StreamedMessage extends Omit<StreamedRequest, 'body'> {
  body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** A response whose body is still to be read. The signal of the request aborts it. */
interface OpenResponse extends Omit<HttpReply, 'body'> {
  statusText: string;
  body: Readable;
  lacksEnd: boolean;
}

/** A response of unknown length may be silent this many times longer, because it is produced while it is sent. */
const pauseFactor = 15;

/** Waits until `signal` aborts. Follows no redirects. Throws ConnectionError, or the reason of the signal. */
export async function sendStreamed(request: StreamedRequest): Promise<StreamedReply> {
  const { url, body, signal, silenceMs } = request;
  // Closes the connection when it is silent, and when the response is no longer needed.
  const connection = new AbortController();
  const unlink = linkAbort(signal, connection);
  const close = () => {
    unlink();
    connection.abort(noLongerNeeded);
  };
  const failure = (cause: unknown) =>
    signal.aborted
      ? signal.reason
      : toConnectionError(url, connection.signal.aborted ? connection.signal.reason : cause);
  const message = {
    ...request,
    headers: { ...request.headers, ...framingOf(body) },
    body: body && 'read' in body ? watchBody(body, connection, silenceMs) : body,
    signal: connection.signal,
  };
  try {
    const reply = await open(message);
    const hasLength = reply.headers['content-length'] !== undefined;
    return {
      status: reply.status,
      statusText: reply.statusText,
      headers: reply.headers,
      chunks: watchResponse(reply, connection, hasLength ? silenceMs : silenceMs * pauseFactor, failure),
      close: async () => close(),
    };
  } catch (cause) {
    const error = failure(cause);
    close();
    throw error;
  }
}

/** Without a reason of its own, each abort would make one, with a stack. */
const noLongerNeeded = new Error('the response is no longer needed');

/** What `AbortSignal.any` does, at a tenth of the cost of a short request. Returns what ends it. */
function linkAbort(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  return onAbort(signal, abort);
}

/** Without an agent, uses a new connection, because a pooled one would keep the process alive. */
async function open({ body, proxy, agent: given, ...message }: StreamedMessage): Promise<OpenResponse> {
  const agent = given ?? (await proxyAgent(proxy, message.url, {})) ?? false;
  const { outgoing, failure } = await openRequest({ ...message, agent });
  try {
    const response = waitForResponse(outgoing);
    // The server may respond before it has read the whole body; then the response counts.
    if (body && Symbol.asyncIterator in body) pipeline(body, outgoing, () => {});
    else outgoing.end(body);
    const reply = await response;
    return {
      status: reply.statusCode ?? 0,
      statusText: reply.statusMessage ?? '',
      headers: headersOf(reply),
      body: reply,
      lacksEnd: lacksEnd(reply, message.method),
    };
  } catch (cause) {
    throw failure(cause);
  }
}

/** Connections for many requests to one host. The caller destroys the agent, which would keep the process alive. */
export async function keptConnections(settings: ProxySettings | undefined, url: URL): Promise<Agent> {
  const tunnel = await proxyAgent(settings, url, { keepAlive: true });
  if (tunnel) return tunnel;
  const { Agent } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Agent({ keepAlive: true, timeout: maxIdleMs });
}

/** Servers close idle connections after 5 seconds or more: a request that is being sent then may or may not have arrived. */
const maxIdleMs = 3_000;

/** Keeps repeated headers, which Node's `headers` joins or drops. */
function headersOf({ headersDistinct }: IncomingMessage): StreamedReply['headers'] {
  const entries = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  return Object.fromEntries(entries);
}

/** Headers for the length of the body, which some methods need even for an empty one. */
function framingOf(body: OutgoingBody | undefined): Record<string, string> {
  if (!body) return {};
  return body.length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
}

/** Measures only the time in which a chunk is not accepted, not the time of the source. */
async function* watchBody({ length, read }: BodyStream, connection: AbortController, silenceMs: number) {
  let bytes = 0;
  try {
    for await (const chunk of read()) {
      bytes += chunk.length;
      if (length !== undefined && bytes > length) break;
      const stopTimer = after(silenceMs, () => connection.abort(silenceError(silenceMs)));
      try {
        yield chunk;
      } finally {
        stopTimer();
      }
    }
    if (length !== undefined && bytes !== length)
      throw new Error(`the body changed: its length is no longer ${length} bytes`);
  } catch (cause) {
    connection.abort(cause);
    throw cause;
  }
}

const maxBufferedBytes = 512 * 1024;

/** The time of waiting only. Yields all chunks before an error; the iterator of a stream would drop them. */
function watchResponse(
  { body, lacksEnd }: OpenResponse,
  connection: AbortController,
  silenceMs: number,
  failure: (cause: unknown) => unknown,
): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let bytes = 0;
  let isEmpty = true;
  let over: { cause?: unknown } | undefined;
  let wake = () => {};
  const end = (cause?: unknown) => {
    over ??= { cause };
    wake();
  };
  body.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    isEmpty = false;
    bytes += chunk.length;
    if (bytes >= maxBufferedBytes) body.pause();
    wake();
  });
  body
    .on('end', () => end(isEmpty && lacksEnd ? incompleteReply() : undefined))
    .on('error', end)
    .on('close', () => end(new Error('connection reset')));
  async function* chunks() {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk) {
        bytes -= chunk.length;
        if (bytes < maxBufferedBytes) body.resume();
        yield chunk;
        continue;
      }
      if (over?.cause) throw failure(over.cause);
      if (over) return;
      const stopTimer = after(silenceMs, () => connection.abort(silenceError(silenceMs)));
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      stopTimer();
    }
  }
  return chunks();
}
