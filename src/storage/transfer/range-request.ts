import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { gantryCommand } from '../../kernel/command-line.ts';
import { GantryError, UnavailableError } from '../../kernel/errors.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { dispatchForBytes } from '../../platform/api/dispatch.ts';
import { readAtMost } from '../../platform/api/http-reply.ts';
import { ConnectionError, toConnectionError } from '../../platform/api/transport.ts';
import type { ReceivedBlock } from './connections.ts';
import { maxInlineHashBytes } from './hash.ts';
import { parseSignedUrl } from './signed-url.ts';
import { ChangedError, closedEarlyError, errorFromStorage, type StorageResponse } from './storage-errors.ts';
import { repeated, type TransferContext } from './transfer-context.ts';

export interface RangeRequest extends ContentAddress {
  bytes: number;
  /** The whole file if undefined. */
  range?: RangeBounds | undefined;
  /** The expected ETag: throws a {@link ChangedError} if it differs. */
  version?: string | undefined;
  as?: ResponseForm | undefined;
}

/** How bytes are received: preferably read into blocks, or all of at most {@link maxInlineHashBytes} at once. */
export type ResponseForm = 'blocks' | 'whole';

/** Offsets in bytes; `end` is exclusive. */
export interface RangeBounds {
  start: number;
  end: number;
}

/** Bytes of a response, in a block or in memory of their own. */
export type Piece = ReceivedBlock | { bytes: Buffer; block?: undefined };

export interface ObjectResponse {
  /** Its ETag, if that is not a weak one. */
  version: string | undefined;
  /** All bytes that were asked for, and an error if there are more or fewer. */
  pieces: AsyncGenerator<Piece>;
  /** Call it if nothing is read. */
  drop: () => void;
}

/** One GET of a signed URL; download-range.ts repeats it. */
export async function sendRangeRequest(
  request: RangeRequest,
  resources: TransferContext,
  signal: AbortSignal,
): Promise<ObjectResponse> {
  const url = parseSignedUrl(request.url, 'download');
  const toError = (cause: unknown) => requestError(cause, url, resources, signal);
  const reply = await openReply(request, url, resources, signal).catch((cause: unknown) => {
    throw toError(cause);
  });
  const { headers, drop } = reply;
  const error = headerError(reply, request);
  if (error) {
    drop();
    throw error;
  }
  const { start, end } = request.range ?? { start: 0, end: request.bytes };
  return {
    version: headers.etag?.startsWith('W/') ? undefined : headers.etag,
    drop,
    pieces: received(reply, end - start, resources, signal, toError),
  };
}

async function openReply(
  { range, version, as, headers: given, toError }: RangeRequest,
  url: URL,
  resources: TransferContext,
  signal: AbortSignal,
): Promise<StorageReply> {
  const headers = {
    // A compressed response has a different length than the file.
    'accept-encoding': 'identity',
    ...(range && { range: `bytes=${range.start}-${range.end - 1}` }),
    ...(version !== undefined && { 'if-match': version }),
    ...given,
  };
  const viaBlocks = as === 'blocks' ? await requestBlocks(url, headers, resources, signal) : undefined;
  const request = as === 'whole' ? requestWhole : requestStream;
  const reply: StorageReply = viaBlocks ?? (await request(url, headers, resources, signal));
  await checkReply(reply, url, resources, toError);
  return reply;
}

type RequestBytes<Reply = StorageReply> = (
  url: URL,
  headers: Record<string, string>,
  resources: TransferContext,
  signal: AbortSignal,
) => Promise<Reply>;

const requestBlocks: RequestBytes<StorageReply | undefined> = async (url, headers, { blockConnections }, signal) => {
  const reply = await blockConnections.get(url, headers, signal);
  return reply && { ...reply, body: copies(reply.receive), blocks: reply.receive };
};

async function* copies(receive: () => AsyncGenerator<ReceivedBlock>): AsyncGenerator<Buffer> {
  for await (const { bytes } of receive()) yield Buffer.from(bytes);
}

/** With thousands of small files, a stream for each would take more time than all the rest. */
const requestWhole: RequestBytes = async (url, headers, { dispatcher }, signal) => {
  // A slow line with many of them may take long for each.
  const limit = { bytes: maxInlineHashBytes + 1, truncates: true, silenceMs: Number.POSITIVE_INFINITY };
  const reply = await dispatchForBytes(dispatcher, getOptions(url, headers), signal, limit);
  return { ...reply, drop: () => {} };
};

const getOptions = ({ origin, pathname, search }: URL, headers: Record<string, string>) =>
  ({ origin, path: pathname + search, method: 'GET', headers }) as const;

export type StreamedStorageReply = Dispatcher.ResponseData & Pick<StorageReply, 'drop'>;

export const requestStream: RequestBytes<StreamedStorageReply> = async (url, headers, { dispatcher }, signal) => {
  const reply = await dispatcher.request({ ...getOptions(url, headers), signal });
  return { ...reply, drop: () => void reply.body.on('error', () => {}).destroy() };
};

async function* received(
  reply: StorageReply,
  expectedBytes: number,
  { rateLimit }: TransferContext,
  signal: AbortSignal,
  toError: (cause: unknown) => unknown,
): AsyncGenerator<Piece> {
  let bytes = 0;
  let last: Piece | undefined;
  try {
    for await (const piece of reply.blocks?.() ?? piecesOf(reply.body)) {
      await rateLimit?.wait(piece.bytes.length, signal);
      bytes += piece.bytes.length;
      if (bytes > expectedBytes) throw new ChangedError('it is longer than in the listing');
      // Without a block, held back until the response ends, to be sure that there are no more.
      if (bytes === expectedBytes && !piece.block) last = piece;
      else yield piece;
    }
    if (bytes < expectedBytes) throw closedEarlyError();
    if (last) yield last;
  } catch (cause) {
    throw toError(cause);
  }
}

async function* piecesOf(body: StorageReply['body']): AsyncGenerator<Piece> {
  for await (const bytes of body) yield { bytes };
}

/** Checks the headers; returns an error if these are not the requested bytes. */
function headerError(
  { statusCode, headers }: StorageReply,
  { range, bytes, version }: RangeRequest,
): ChangedError | undefined {
  if (version !== undefined && headers.etag !== version) return changedError();
  const [, start, end, size] = groupsOf(/^bytes (\d+)-(\d+)\/(\d+)$/i, String(headers['content-range']));
  const isPart = statusCode === 206;
  const listed = isPart ? size : headers['content-length'];
  if (listed !== undefined && Number(listed) !== bytes) return new ChangedError('its size differs from the listing');
  const isAsked = range ? isPart && Number(start) === range.start && Number(end) === range.end - 1 : !isPart;
  return isAsked ? undefined : new ChangedError('the storage sent another part of the file than requested');
}

export function changedError(): ChangedError {
  return new ChangedError('the file changed during the copy');
}

export function requestError(cause: unknown, url: URL, resources: TransferContext, signal: AbortSignal): unknown {
  if (resources.signal.aborted) return resources.signal.reason;
  const error = cause instanceof GantryError || signal.aborted ? cause : toConnectionError(url, cause);
  // `gantry doctor` does not check this host.
  if (error instanceof ConnectionError)
    error.facts.fix ??= `check the connection of this machine to ${url.host}, and the proxy`;
  return error;
}

/** Where the bytes of a file are. Do not log the URL: it may be signed. */
export interface ContentAddress {
  url: string;
  /** Sent besides those of the range; a signed URL has none. */
  headers?: Record<string, string>;
  toError?: (reply: ContentReply, now: number) => GantryError;
}

export type ContentReply = Pick<StorageResponse, 'status' | 'headers' | 'body'>;

export interface StorageReply {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: AsyncIterable<Buffer> | readonly Buffer[];
  /** The bytes of the body without a copy: read either, not both. */
  blocks?: () => AsyncGenerator<ReceivedBlock>;
  /** Call it if the body is not read. */
  drop: () => void;
}

/** Throws an error for a status other than 200 and 206, and for a web page that something else replied with. */
export async function checkReply(
  reply: StorageReply,
  url: URL,
  { now }: TransferContext,
  toError: NonNullable<ContentAddress['toError']> = (refused, at) =>
    errorFromStorage({ ...refused, what: 'download' }, at),
): Promise<void> {
  const { statusCode, headers, body } = reply;
  if (statusCode === 200 || statusCode === 206) {
    if (!isForeignPage(headers, url)) return;
    reply.drop();
    throw webPageError(url, statusCode);
  }
  const text = await readStart(body);
  throw toError({ status: statusCode, headers, body: text }, now());
}

/** Storage identifies what it sends by an ETag or a date. The login page of a network has neither. */
function isForeignPage(
  { etag, 'last-modified': modified, 'content-type': type }: IncomingHttpHeaders,
  url: URL,
): boolean {
  if (etag !== undefined || modified !== undefined || /\.x?html?$/i.test(url.pathname)) return false;
  return /^\s*(text\/html|application\/xhtml)/i.test(String(type ?? ''));
}

function webPageError({ host }: URL, status: number): UnavailableError {
  return new UnavailableError(`received a web page instead of the file from ${host} (HTTP ${status})`, {
    why: 'a proxy, a firewall or the login page of a network replied instead of the storage',
    fix: gantryCommand`doctor`,
    status,
    retryable: true,
  });
}

/** Error messages of storage are short; anything longer is truncated. */
const maxErrorBytes = 64 * 1024;

export async function readStart(body: StorageReply['body']): Promise<string> {
  return (await readAtMost(body, maxErrorBytes)).content.toString('utf8');
}

export interface RemoteFileInfo {
  bytes: number | undefined;
  /** Empty if there is none. */
  etag: string;
  /** Milliseconds since 1970. */
  modified: number | undefined;
}

/** Requests one byte, because a signed URL is valid for GET only. `createUrl` requests a new signed URL. */
export function readRemoteFileInfo(
  createUrl: () => Promise<string>,
  resources: TransferContext,
): Promise<RemoteFileInfo> {
  const request = { kind: 'small', order: 0, bytes: 1 } as const;
  return repeated(() => resources.requests.run(request, () => requestInfo(createUrl, resources)), resources);
}

async function requestInfo(createUrl: () => Promise<string>, resources: TransferContext): Promise<RemoteFileInfo> {
  const url = parseSignedUrl(await createUrl(), 'download');
  const { signal } = resources;
  try {
    const reply = await requestStream(url, firstByte, resources, signal);
    // An empty file has no first byte.
    if (reply.statusCode !== 416) await checkReply(reply, url, resources);
    await reply.body.dump({ limit: maxDiscardedBytes });
    return infoOf(reply);
  } catch (cause) {
    throw requestError(cause, url, resources, signal);
  }
}

/** Bytes that are read to keep the connection; with a longer body it is closed. */
const maxDiscardedBytes = 16 * 1024;

export const firstByte = { 'accept-encoding': 'identity', range: 'bytes=0-0' };

export function infoOf(reply: Pick<StorageReply, 'statusCode' | 'headers'>): RemoteFileInfo {
  const { etag, 'last-modified': modified } = reply.headers;
  const time = Date.parse(String(modified));
  return {
    bytes: parseSize(reply),
    etag: etag === undefined ? '' : String(etag),
    modified: Number.isNaN(time) ? undefined : time,
  };
}

function parseSize({ statusCode, headers }: Pick<StorageReply, 'statusCode' | 'headers'>) {
  const range = String(headers['content-range'] ?? '');
  if (statusCode === 206) return parseCount(/^bytes 0-0\/(\d+)$/i.exec(range)?.[1]);
  if (statusCode === 416) return parseCount(/^bytes \*\/(\d+)$/i.exec(range)?.[1] ?? '0');
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  return encoding === 'identity' ? parseCount([headers['content-length']].flat()[0]) : undefined;
}

function parseCount(text: string | undefined): number | undefined {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
