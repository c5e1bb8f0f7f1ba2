import type { Dispatcher } from 'undici';
import { toConnectionError } from '../api/transport.ts';
import { FailedError, GantryError, UnavailableError } from '../errors.ts';
import type { TransferResources } from './resources.ts';
import { parseSignedUrl } from './signed-url.ts';
import { ChangedError, errorFromStorage, NoRangesError } from './storage-errors.ts';
import { conditionalHeaders, hasVersion, readVersion } from './version.ts';

export interface RangeRequest {
  /** A signed link: it is sent no token and shown to nobody. */
  url: string;
  /** Length of the whole file. */
  bytes: number;
  /** From where, and up to but without where, in bytes; the whole file if left out. */
  range?: RangeBounds | undefined;
  /** The version to read (see {@link readVersion}): another one is a {@link ChangedError}. */
  version?: string | undefined;
}

export interface RangeBounds {
  start: number;
  end: number;
}

/** A file, or a range of it, on its way. */
export interface ObjectResponse {
  etag: string;
  version: string | undefined;
  /**
   * The bytes requested, and no others: fewer are a failure that a repeat may cure. The last of them come only after
   * the end of the response, so that a reader who has all knows that there were no more.
   */
  chunks: AsyncGenerator<Buffer>;
}

type Reply = Dispatcher.ResponseData;

/** One GET of a signed link, tried once. */
export async function sendRangeRequest(
  asking: RangeRequest,
  resources: TransferResources,
  signal: AbortSignal,
): Promise<ObjectResponse> {
  const url = parseSignedUrl(asking.url, 'download');
  const { range, version } = asking;
  try {
    const reply = await resources.dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        // A response that is compressed on the way has another length than the file.
        'accept-encoding': 'identity',
        ...(range ? { range: `bytes=${range.start}-${range.end - 1}` } : {}),
        ...conditionalHeaders(version),
      },
      signal,
    });
    await checkStatus(reply, resources);
    return read(reply, asking, url, resources, signal);
  } catch (cause) {
    throw requestError(cause, url, resources, signal);
  }
}

/** Throws what a status other than 200 and 206 means. */
export async function checkStatus({ statusCode, headers, body }: Reply, { now }: TransferResources): Promise<void> {
  if (statusCode === 200 || statusCode === 206) return;
  const said = await beginningOf(body);
  throw errorFromStorage({ status: statusCode, headers, body: said, what: 'download' }, now());
}

/** What storage says about a failure is short: of anything longer the rest is not read. */
const mostWords = 64 * 1024;

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= mostWords) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, mostWords);
}

function read(
  reply: Reply,
  asking: RangeRequest,
  url: URL,
  resources: TransferResources,
  signal: AbortSignal,
): ObjectResponse {
  const { headers, body } = reply;
  const problem = problemOf(reply, asking);
  if (problem) {
    body.on('error', () => {}).destroy();
    throw problem;
  }
  const { start, end } = reply.statusCode === 206 && asking.range ? asking.range : { start: 0, end: asking.bytes };
  return {
    etag: headers.etag === undefined ? '' : String(headers.etag),
    version: readVersion(headers),
    chunks: chunks(reply, end - start, url, resources, signal),
  };
}

/** Why these are not the bytes requested, as far as the headers tell. */
function problemOf({ statusCode, headers }: Reply, { range, bytes, version }: RangeRequest): Error | undefined {
  if (version !== undefined && !hasVersion(version, headers)) {
    return new ChangedError('the file changed during the copy');
  }
  if (statusCode === 206) {
    if (!range) return new ChangedError('the storage sent only a part of the file');
    return rangeProblem(headers, range, bytes);
  }
  const length = headers['content-length'];
  const isAsListed = length !== undefined && Number(length) === bytes;
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  // A file may be stored with an encoding: then its length is that of the file listed.
  if (encoding !== 'identity' && !isAsListed) {
    return new FailedError(`the storage sent a compressed response (${encoding})`);
  }
  if (length !== undefined && !isAsListed) return otherSize();
  // From the beginning on, the whole file has the range in it.
  return range && range.start > 0 ? new NoRangesError('the storage sends only whole files') : undefined;
}

function rangeProblem(headers: Reply['headers'], range: RangeBounds, bytes: number): Error | undefined {
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(String(headers['content-range'] ?? '')) ?? [];
  if (size === undefined) return new NoRangesError('the storage sent no valid Content-Range header');
  if (Number(size) !== bytes) return otherSize();
  const isRange = Number(start) === range.start && Number(end) === range.end - 1;
  return isRange ? undefined : new ChangedError('the storage sent a different range than requested');
}

function otherSize(): ChangedError {
  return new ChangedError('its size differs from the listing');
}

async function* chunks(
  { headers, body }: Reply,
  promised: number,
  url: URL,
  resources: TransferResources,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let received = 0;
  let last: Buffer | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      await resources.rateLimit?.wait(chunk.length, signal);
      received += chunk.length;
      if (received > promised) throw new ChangedError('it is longer than in the listing');
      if (received === promised) last = chunk;
      else yield chunk;
    }
  } catch (cause) {
    throw requestError(cause, url, resources, signal);
  }
  if (received < promised) throw tooShort(headers);
  if (last) yield last;
}

/** A chunked body has an end of its own: this one was not cut off, it is shorter. */
function tooShort(headers: Reply['headers']): Error {
  const isChunked =
    headers['content-length'] === undefined && /\bchunked\b/i.test(String(headers['transfer-encoding']));
  return isChunked
    ? new ChangedError('it is shorter than in the listing')
    : new UnavailableError('the connection closed early', { retryable: true });
}

/** What to throw when a request has failed. */
export function requestError(cause: unknown, url: URL, resources: TransferResources, signal: AbortSignal): unknown {
  if (resources.signal.aborted) return resources.signal.reason;
  return cause instanceof GantryError || signal.aborted ? cause : toConnectionError(url, cause);
}
