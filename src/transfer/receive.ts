import type { Dispatcher } from 'undici';
import { connectionFailure } from '../api/transport.ts';
import { FailedError, GantryError, UnavailableError } from '../errors.ts';
import type { Engine } from './resources.ts';
import { signedUrl } from './signed-url.ts';
import { ChangedError, NoRangesError, refusal } from './storage-errors.ts';
import { isVersion, onlyIf, versionOf } from './version.ts';

export interface Asking {
  /** A signed link: it is sent no token and shown to nobody. */
  url: string;
  /** Length of the whole file. */
  bytes: number;
  /** From where, and up to but without where, in bytes; the whole file if left out. */
  range?: ByteRange | undefined;
  /** The version to read (see {@link versionOf}): another one is a {@link ChangedError}. */
  version?: string | undefined;
}

export interface ByteRange {
  start: number;
  end: number;
}

/** A file, or a range of it, on its way. */
export interface Received {
  etag: string;
  version: string | undefined;
  /**
   * The bytes requested, and no others: fewer are a failure that a repeat may cure. The last of them come only after
   * the end of the response, so that a reader who has all knows that there were no more.
   */
  pieces: AsyncGenerator<Buffer>;
}

type Reply = Dispatcher.ResponseData;

/** One GET of a signed link, tried once. */
export async function receiveOnce(asking: Asking, engine: Engine, signal: AbortSignal): Promise<Received> {
  const url = signedUrl(asking.url, 'download');
  const { range, version } = asking;
  try {
    const reply = await engine.dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        // A response that is compressed on the way has another length than the file.
        'accept-encoding': 'identity',
        ...(range ? { range: `bytes=${range.start}-${range.end - 1}` } : {}),
        ...onlyIf(version),
      },
      signal,
    });
    await checkStatus(reply, engine);
    return read(reply, asking, url, engine, signal);
  } catch (cause) {
    throw failure(cause, url, engine, signal);
  }
}

/** Throws what a status other than 200 and 206 means. */
export async function checkStatus({ statusCode, headers, body }: Reply, { now }: Engine): Promise<void> {
  if (statusCode === 200 || statusCode === 206) return;
  const said = await beginningOf(body);
  throw refusal({ status: statusCode, headers, said, what: 'download' }, now());
}

/** What storage says about a failure is short: of anything longer the rest is not read. */
const mostWords = 64 * 1024;

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= mostWords) break;
  }
  return Buffer.concat(pieces).toString('utf8', 0, mostWords);
}

function read(reply: Reply, asking: Asking, url: URL, engine: Engine, signal: AbortSignal): Received {
  const { headers, body } = reply;
  const problem = problemOf(reply, asking);
  if (problem) {
    body.on('error', () => {}).destroy();
    throw problem;
  }
  const { start, end } = reply.statusCode === 206 && asking.range ? asking.range : { start: 0, end: asking.bytes };
  return {
    etag: headers.etag === undefined ? '' : String(headers.etag),
    version: versionOf(headers),
    pieces: pieces(reply, end - start, url, engine, signal),
  };
}

/** Why these are not the bytes requested, as far as the headers tell. */
function problemOf({ statusCode, headers }: Reply, { range, bytes, version }: Asking): Error | undefined {
  if (version !== undefined && !isVersion(version, headers)) {
    return new ChangedError('it changed while it was being copied');
  }
  if (statusCode === 206) {
    if (!range) return new ChangedError('the storage sent only a part of it');
    return rangeProblem(headers, range, bytes);
  }
  const length = headers['content-length'];
  const isAsListed = length !== undefined && Number(length) === bytes;
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  // A file may be stored with an encoding: then its length is that of the file listed.
  if (encoding !== 'identity' && !isAsListed) {
    return new FailedError(`the storage sent it compressed (${encoding}), although it was asked not to`);
  }
  if (length !== undefined && !isAsListed) return otherSize();
  // From the beginning on, the whole file has the range in it.
  return range && range.start > 0 ? new NoRangesError('the storage sends only whole files') : undefined;
}

function rangeProblem(headers: Reply['headers'], range: ByteRange, bytes: number): Error | undefined {
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(String(headers['content-range'] ?? '')) ?? [];
  if (size === undefined) return new NoRangesError('the storage does not say which part of it was sent');
  if (Number(size) !== bytes) return otherSize();
  const isRange = Number(start) === range.start && Number(end) === range.end - 1;
  return isRange ? undefined : new ChangedError('the storage sent another part than requested');
}

function otherSize(): ChangedError {
  return new ChangedError('its size is not what the folder said');
}

async function* pieces(
  { headers, body }: Reply,
  promised: number,
  url: URL,
  engine: Engine,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let received = 0;
  let last: Buffer | undefined;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      await engine.rate?.take(piece.length, signal);
      received += piece.length;
      if (received > promised) throw new ChangedError('it is longer than the folder said');
      if (received === promised) last = piece;
      else yield piece;
    }
  } catch (cause) {
    throw failure(cause, url, engine, signal);
  }
  if (received < promised) throw tooShort(headers);
  if (last) yield last;
}

/** A chunked body has an end of its own: this one was not cut off, it is shorter. */
function tooShort(headers: Reply['headers']): Error {
  const isChunked =
    headers['content-length'] === undefined && /\bchunked\b/i.test(String(headers['transfer-encoding']));
  return isChunked
    ? new ChangedError('it is shorter than the folder said')
    : new UnavailableError('the connection ended too early', { retryable: true });
}

/** What to throw when a request has failed. */
export function failure(cause: unknown, url: URL, engine: Engine, signal: AbortSignal): unknown {
  if (engine.signal.aborted) return engine.signal.reason;
  return cause instanceof GantryError || signal.aborted ? cause : connectionFailure(url, cause);
}
