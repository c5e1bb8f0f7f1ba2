import type { IncomingHttpHeaders } from 'node:http';
import { gantryCommand } from '../../kernel/command-line.ts';
import { type GantryError, UnavailableError } from '../../kernel/errors.ts';
import { readAtMost } from '../../platform/api/http-reply.ts';
import type { ReceivedBlock } from './download-connection.ts';
import { errorFromStorage, type StorageResponse } from './storage-errors.ts';
import type { TransferContext } from './transfer-context.ts';

/** Where the bytes of a file are. Do not log the URL: it may be signed. */
export interface ContentAddress {
  url: string;
  /** Sent besides those of the range; a signed URL has none. */
  headers?: Record<string, string>;
  /** What a reply that is no success means. */
  toError?: (reply: ContentReply, now: number) => GantryError;
}

export type ContentReply = Pick<StorageResponse, 'status' | 'headers' | 'body'>;

/** Either client's reply. */
export interface StorageReply {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: AsyncIterable<Buffer>;
  /** Call it if the body is not read. */
  drop: () => void;
  blocks?: () => AsyncGenerator<ReceivedBlock>;
}

/** Throws an error for a status other than 200 and 206, and for a web page that something else replied with. */
export async function checkReply(
  reply: StorageReply,
  url: URL,
  { now }: TransferContext,
  toError: NonNullable<ContentAddress['toError']> = downloadError,
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

function downloadError(reply: ContentReply, now: number): GantryError {
  return errorFromStorage({ ...reply, what: 'download' }, now);
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

export async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  return (await readAtMost(body, maxErrorBytes)).content.toString('utf8');
}
