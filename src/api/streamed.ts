import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import { connectionFailure } from './transport.ts';

/** What is sent: held in memory, or read as it leaves. */
export type SentBody = Uint8Array | Source;

/** A body that is read when it is sent, once. */
export interface Source {
  /** Bytes; undefined when nobody knows: it is sent in chunks then. */
  length: number | undefined;
  read: () => AsyncIterable<Uint8Array>;
}

export interface StreamedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: SentBody | undefined;
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
  pieces: AsyncGenerator<Buffer>;
  /** Ends the connection, whatever of the body is still to come. */
  close: () => Promise<void>;
}

/** An answer that is made while it is sent may pause: so many times as long as one that is ready. */
const pauses = 15;

/**
 * One request whose bodies are not held in memory. It waits for the answer as long as its `signal` lets it. Redirects
 * are not followed. Throws ConnectionError, or the reason of the signal.
 */
export async function sendStreamed(request: StreamedRequest): Promise<StreamedReply> {
  const { method, url, headers, body, proxy, signal, silenceMs } = request;
  const dispatcher = connections(proxy);
  const failure = (cause: unknown) => (signal.aborted ? signal.reason : connectionFailure(url, cause));
  const silent = new AbortController();
  try {
    const reply = await dispatcher.request({
      ...{ origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod },
      headers: { ...headers, ...lengthOf(body) },
      body: isSource(body) ? (watched(body.read(), silent, silenceMs) as unknown as Readable) : (body ?? null),
      signal: AbortSignal.any([signal, silent.signal]),
    });
    const known = reply.headers['content-length'] !== undefined;
    return {
      ...{ status: reply.statusCode, statusText: reply.statusText, headers: reply.headers },
      pieces: received(reply.body, known ? silenceMs : silenceMs * pauses, failure),
      close: () => dispatcher.destroy(),
    };
  } catch (cause) {
    await dispatcher.destroy();
    throw failure(cause);
  }
}

/** The watch over silence is ours: a call may take hours before its answer begins. */
function connections(proxy: ProxySettings | undefined): Dispatcher {
  const patient = { headersTimeout: 0, bodyTimeout: 0 };
  if (!proxy) return new Agent(patient);
  const { http, https, except } = proxy;
  return new EnvHttpProxyAgent({ ...patient, httpProxy: http, httpsProxy: https, noProxy: except });
}

function isSource(body: SentBody | undefined): body is Source {
  return body !== undefined && 'read' in body;
}

function lengthOf(body: SentBody | undefined): Record<string, string> {
  return body?.length === undefined ? {} : { 'content-length': String(body.length) };
}

/** Only the time in which a piece is not taken counts: its source may take as long as it likes. */
async function* watched(pieces: AsyncIterable<Uint8Array>, silent: AbortController, silenceMs: number) {
  for await (const piece of pieces) {
    const timer = setTimeout(() => silent.abort(tooQuiet(silenceMs)), silenceMs);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** As many bytes may wait for a slow reader. */
const mostWaiting = 512 * 1024;

/**
 * Only the time in which we wait counts: whoever reads may be slow. What has come is handed on even if the line breaks
 * right after it; the iterator of a stream would drop it.
 */
function received(
  body: Dispatcher.ResponseData['body'],
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
    .on('close', () => end(new Error('the connection was cut')));
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
        const timer = setTimeout(() => body.destroy(tooQuiet(silenceMs)), silenceMs);
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
  return new Error(`no byte for ${ms / 1000} s`);
}
