import type { HttpReply } from '../api/http-reply.ts';
import { parseRetryAfter } from '../api/retry.ts';
import {
  type ErrorFacts,
  FailedError,
  type GantryError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../errors.ts';

/** The link has ended. Another try with it is useless; a new link is needed. */
export class UrlExpiredError extends FailedError {}

/** What is read is not any more what it was when it was begun. */
export class ChangedError extends FailedError {}

/** The storage sends no ranges, or none that are sure to be of one version: the file has to be read in one request. */
export class NoRangesError extends ChangedError {}

/** What has arrived is not what was sent. Copied again it may well be right. */
export class CorruptError extends UnavailableError {}

const changed = new Set([412, 416]);

/** An answer of object storage that is not the one asked for. */
export interface StorageResponse {
  status: number;
  headers: HttpReply['headers'];
  /** Its body, or the beginning of it. */
  body: string;
  what: 'upload' | 'download';
}

/** What such an answer means. Storage speaks XML: `<Error><Code>AccessDenied</Code><Message>Request has expired…`. */
export function errorFromStorage({ status, headers, body, what }: StorageResponse, now: number): GantryError {
  const code = body.match(/<Code>([^<]*)<\/Code>/)?.[1];
  const message = body.match(/<Message>([^<]*)<\/Message>/)?.[1];
  const reason = [code, message].filter(Boolean).join(': ') || redirection(headers) || 'no reason given';
  if ((status === 403 || status === 400) && /expired/i.test(reason))
    return new UrlExpiredError(`the ${what} URL has expired`, { status });
  const retryAfterMs = parseRetryAfter([headers['retry-after']].flat()[0], now);
  const passing: ErrorFacts = { status, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 429) return new RateLimitedError(`the storage limits the request rate (HTTP 429, ${reason})`, passing);
  if (status >= 500 || status === 408)
    return new UnavailableError(`the storage returned an error (HTTP ${status}, ${reason})`, passing);
  if (what === 'download' && changed.has(status))
    return new ChangedError('the file changed during the copy', { status });
  if (what === 'download' && status === 404)
    return new NotFoundError(`the file is not in storage (HTTP 404, ${reason})`, { status });
  return new FailedError(`the storage rejected the ${what} (HTTP ${status}, ${reason})`, { status });
}

/** Where a redirect leads, without its query. Redirects are not followed: what is sent is meant for the signed link. */
function redirection({ location }: HttpReply['headers']): string {
  const target = [location].flat()[0];
  return target && URL.canParse(target) ? `redirected to ${new URL(target).origin}${new URL(target).pathname}` : '';
}

/** Object storage asks to slow down with more than one status (`503 SlowDown`). */
export function isOverload({ facts: { status } }: GantryError): boolean {
  return status === 408 || status === 429 || (status !== undefined && status >= 500);
}
