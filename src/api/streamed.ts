import type { Agent, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { ProxySettings } from '../config/settings.ts';
import type { HttpReply } from './http-reply.ts';
import { type HttpRequest, openRequest, toConnectionError, waitForResponse } from './transport.ts';

/** What is sent: held in memory, or read as it leaves. */
export type OutgoingBody = Uint8Array | BodyStream;

/** A body that is read when it is sent, once. */
export interface BodyStream {
  /** Bytes; undefined when nobody knows: it is sent in chunks then. */
  length: number | undefined;
  read: () => AsyncIterable<Uint8Array>;
}

export interface StreamedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: OutgoingBody | undefined;
  proxy: ProxySettings | undefined;
  signal: AbortSignal;
  /** Give up when nothing has been taken of what we send, or has come of an answer of known length, for this long. */
  silenceMs: number;
}

export interface StreamedReply {
  status: number;
  statusText: string;
  headers: Record<string, string | string[] | undefined>;
  /** The body as it comes. Throws ConnectionError when it is cut off or falls silent. */
  chunks: AsyncGenerator<Buffer>;
  /** Ends the connection, whatever of the body is still to come. */
  close: () => Promise<void>;
}

/** A request with a body that may be read as it leaves. */
interface Message extends Pick<HttpRequest, 'method' | 'url' | 'headers' | 'signal'> {
  body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  proxy: ProxySettings | undefined;
}

/** An answer whose body is to be read, or cut by the signal of its request. */
interface Opened extends Omit<HttpReply, 'body'> {
  statusText: string;
  body: Readable;
}

/** An answer that is made while it is sent may pause: so many times as long as one that is ready. */
const pauses = 15;

/**
 * One request whose bodies are not held in memory. It waits for the answer as long as its `signal` lets it. Redirects
 * are not followed. Throws ConnectionError, or the reason of the signal.
 */
export async function sendStreamed(request: StreamedRequest): Promise<StreamedReply> {
  const { url, body, signal, silenceMs } = request;
  // Cuts the line: when it is too quiet, and when the answer is read or nobody wants more of it.
  const line = new AbortController();
  const failure = (cause: unknown) =>
    signal.aborted ? signal.reason : toConnectionError(url, line.signal.aborted ? line.signal.reason : cause);
  const message = {
    ...request,
    headers: { ...request.headers, ...framingOf(body) },
    body: isSource(body) ? watched(body, line, silenceMs) : body,
    signal: AbortSignal.any([signal, line.signal]),
  };
  try {
    const reply = await open(message);
    const known = reply.headers['content-length'] !== undefined;
    return {
      ...{ status: reply.status, statusText: reply.statusText, headers: reply.headers },
      chunks: received(reply.body, line, known ? silenceMs : silenceMs * pauses, failure),
      close: async () => line.abort(),
    };
  } catch (cause) {
    const error = failure(cause);
    line.abort();
    throw error;
  }
}

/** Over a connection of its own, so that none keeps the process alive. */
async function open({ body, proxy, ...message }: Message): Promise<Opened> {
  const { outgoing, failure } = await openRequest({ ...message, agent: (await agentFor(proxy, message.url)) ?? false });
  try {
    const answered = waitForResponse(outgoing);
    // It may answer before it has read all: then it is the answer that counts.
    if (body && Symbol.asyncIterator in body) pipeline(body, outgoing, () => {});
    else outgoing.end(body);
    const reply = await answered;
    return {
      ...{ status: reply.statusCode ?? 0, statusText: reply.statusMessage ?? '', headers: headersOf(reply) },
      body: reply,
    };
  } catch (cause) {
    throw failure(cause);
  }
}

async function agentFor(settings: ProxySettings | undefined, url: URL): Promise<Agent | undefined> {
  if (!settings) return undefined;
  const { proxyFor } = await import('./proxy.ts');
  const proxy = proxyFor(settings, url);
  return proxy && (await import('./tunnel.ts')).tunnelAgent(proxy, url, { keepAlive: false });
}

/** Each as it came: Node joins those that are given twice, or drops all but one. */
function headersOf({ headersDistinct }: IncomingMessage): StreamedReply['headers'] {
  const entries = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  return Object.fromEntries(entries);
}

function isSource(body: OutgoingBody | undefined): body is BodyStream {
  return body !== undefined && 'read' in body;
}

/** Where no length is known it must be said how the end is: not every method is expected to have a body. */
function framingOf(body: OutgoingBody | undefined): Record<string, string> {
  if (!body) return {};
  return body.length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
}

/** Only the time in which a piece is not taken counts: its source may take as long as it likes. */
async function* watched({ length, read }: BodyStream, line: AbortController, silenceMs: number) {
  let bytes = 0;
  try {
    for await (const piece of read()) {
      bytes += piece.length;
      if (length !== undefined && bytes > length) break;
      const timer = setTimeout(() => line.abort(tooQuiet(silenceMs)), silenceMs);
      try {
        yield piece;
      } finally {
        clearTimeout(timer);
      }
    }
    if (length !== undefined && bytes !== length)
      throw new Error(`the body changed: its length is no longer ${length} bytes`);
  } catch (cause) {
    line.abort(cause);
    throw cause;
  }
}

/** As many bytes may wait for a slow reader. */
const mostWaiting = 512 * 1024;

/**
 * Only the time in which we wait counts: whoever reads may be slow. What has come is handed on even if the line breaks
 * right after it; the iterator of a stream would drop it.
 */
function received(
  body: Readable,
  line: AbortController,
  silenceMs: number,
  failure: (cause: unknown) => unknown,
): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let bytes = 0;
  let over: { cause?: unknown } | undefined;
  let wake = () => {};
  const end = (cause?: unknown) => {
    over ??= { cause };
    wake();
  };
  body.on('data', (piece: Buffer) => {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes >= mostWaiting) body.pause();
    wake();
  });
  body
    .on('end', () => end())
    .on('error', end)
    .on('close', () => end(new Error('connection reset')));
  async function* pieces() {
    for (;;) {
      const piece = waiting.shift();
      if (piece) {
        bytes -= piece.length;
        if (bytes < mostWaiting) body.resume();
        yield piece;
      } else if (over) {
        if (over.cause) throw failure(over.cause);
        return;
      } else {
        const timer = setTimeout(() => line.abort(tooQuiet(silenceMs)), silenceMs);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(timer);
      }
    }
  }
  return pieces();
}

function tooQuiet(ms: number): Error {
  return new Error(`no data for ${ms / 1000} s`);
}
