import type { Dispatcher } from 'undici';
import { retryAfter } from '../api/retry.ts';
import { connectionFailure } from '../api/transport.ts';
import { GantryError, UnavailableError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { ChangedError, NoRangesError, refusal } from './refusal.ts';
import { signedUrl } from './signed-url.ts';

export interface Asking {
  /** A signed link: it is sent no token and shown to nobody. */
  url: string;
  /** From where, and up to but without where, in bytes; the whole if left out. */
  range?: { start: number; end: number } | undefined;
  /** The content that is meant: other content is a {@link ChangedError}. */
  etag?: string | undefined;
}

/** A file, or a range of it, on its way. */
export interface Received {
  etag: string;
  /** Length of the whole file; undefined when the storage does not say. */
  size: number | undefined;
  /** What was asked for and nothing else: fewer bytes are a failure that a repeat may cure. To be read to its end. */
  pieces: AsyncGenerator<Buffer>;
}

/** One GET of a signed link, tried once. */
export async function receiveOnce(asking: Asking, engine: Engine, signal: AbortSignal): Promise<Received> {
  const url = signedUrl(asking.url, 'download');
  const { range, etag } = asking;
  try {
    const reply = await engine.dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        // What is compressed on the way has another length than was announced.
        'accept-encoding': 'identity',
        ...(range ? { range: `bytes=${range.start}-${range.end - 1}` } : {}),
        ...(etag ? { 'if-match': etag } : {}),
      },
      signal,
    });
    await checkStatus(reply, engine);
    return read(reply, asking, url, engine, signal);
  } catch (cause) {
    throw failure(cause, url, engine, signal);
  }
}

async function checkStatus({ statusCode, headers, body }: Dispatcher.ResponseData, { now }: Engine): Promise<void> {
  if (statusCode === 200 || statusCode === 206) return;
  const said = await body.text();
  throw refusal(statusCode, said, retryAfter([headers['retry-after']].flat()[0], now()), 'download');
}

function read(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { range, etag: wanted }: Asking,
  url: URL,
  engine: Engine,
  signal: AbortSignal,
): Received {
  const etag = String(headers.etag ?? '');
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range'] ?? '')) ?? [];
  const wrong =
    (wanted && etag && etag !== wanted && 'other content came than was asked for') ||
    (range && statusCode === 206 && Number(start) !== range.start && 'another part came than was asked for');
  const promised = range && statusCode === 206 ? range.end - range.start : length;
  const isWhole = statusCode !== 206 && range !== undefined && range.start > 0;
  if (wrong || isWhole) {
    body.on('error', () => {}).destroy();
    throw wrong ? new ChangedError(wrong) : new NoRangesError('the storage sends only all of it');
  }
  return {
    etag,
    size: statusCode === 206 ? Number(size) : length,
    pieces: pieces(body, promised, url, engine, signal),
  };
}

async function* pieces(
  body: Dispatcher.ResponseData['body'],
  promised: number | undefined,
  url: URL,
  engine: Engine,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let received = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      await engine.rate?.take(piece.length, signal);
      received += piece.length;
      if (promised !== undefined && received > promised) throw new ChangedError('more came than was asked for');
      yield piece;
    }
  } catch (cause) {
    throw failure(cause, url, engine, signal);
  }
  if (promised !== undefined && received < promised) {
    throw new UnavailableError('the connection ended too early', { retryable: true });
  }
}

function failure(cause: unknown, url: URL, engine: Engine, signal: AbortSignal): unknown {
  if (engine.signal.aborted) return engine.signal.reason;
  return cause instanceof GantryError || signal.aborted ? cause : connectionFailure(url, cause);
}
