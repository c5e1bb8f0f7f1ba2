import { toDiskError } from '../../kernel/disk/index.ts';
import {
  type ErrorFacts,
  FailedError,
  type GantryError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../../kernel/errors.ts';
import type { HttpReply } from '../../platform/api/http-reply.ts';
import { parseRetryAfter } from '../../platform/api/retry.ts';
import { isTransientStatus } from '../../platform/api/transient-failures.ts';

/** The signed URL has expired: a retry needs a new one. */
export class UrlExpiredError extends FailedError {}

export class ChangedError extends FailedError {}

/** The received bytes differ from the sent ones. A retry may succeed. */
export class CorruptError extends UnavailableError {}

/** Does work on the disk of this machine. Throws its errors in words. */
export function withDiskErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw toDiskError(cause);
  }
}

export function closedEarlyError(): UnavailableError {
  return new UnavailableError('the connection closed early', { retryable: true });
}

export const changedStatuses = new Set([412, 416]);

/** A response of object storage that is not a success. */
export interface StorageResponse {
  status: number;
  headers: HttpReply['headers'];
  /** May be truncated. */
  body: string;
  what: 'upload' | 'download';
}

/** Errors of storage are XML: `<Error><Code>AccessDenied</Code><Message>Request has expired…`. */
export function errorFromStorage({ status, headers, body, what }: StorageResponse, now: number): GantryError {
  const code = body.match(/<Code>([^<]*)<\/Code>/)?.[1];
  const message = body.match(/<Message>([^<]*)<\/Message>/)?.[1];
  const reason = [code, message].filter(Boolean).join(': ') || redirection(headers) || 'no reason given';
  if ([400, 403].includes(status) && /expired/i.test(reason))
    return new UrlExpiredError(`the ${what} URL has expired`, { status });
  const busy = retryLaterError(status, 'the storage', statusFacts(status, headers, now), `, ${reason}`);
  if (busy) return busy;
  if (what === 'download' && changedStatuses.has(status))
    return new ChangedError('the file changed during the copy', { status });
  if (what === 'download' && status === 404)
    return new NotFoundError(`the file is not in storage (HTTP 404, ${reason})`, { status });
  return new FailedError(`the storage rejected the ${what} (HTTP ${status}, ${reason})`, { status });
}

export function statusFacts(status: number, headers: HttpReply['headers'], now: number): ErrorFacts {
  const retryAfterMs = parseRetryAfter([headers['retry-after']].flat()[0], now);
  return { status, retryable: isTransientStatus(status), retryAfterMs };
}

/** The error of a server that may accept the same request later. */
export function retryLaterError(status: number, who: string, facts: ErrorFacts, reason = ''): GantryError | undefined {
  const http = `(HTTP ${status}${reason})`;
  if (status === 429) return new RateLimitedError(`${who} limits the request rate ${http}`, facts);
  if (status < 500 && status !== 408) return undefined;
  return new UnavailableError(`${who} returned an error ${http}`, facts);
}

/** The target of a redirect without its query. Redirects are not followed: the body is only for the signed URL. */
function redirection({ location }: HttpReply['headers']): string {
  const target = [location].flat()[0];
  return target && URL.canParse(target) ? `redirected to ${new URL(target).origin}${new URL(target).pathname}` : '';
}
