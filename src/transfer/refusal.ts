import {
  type ErrorFacts,
  FailedError,
  type GantryError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../errors.ts';

/** The link has ended. Another try with it is useless; a new link is needed. */
export class LinkExpiredError extends FailedError {}

/** What is read is not any more what it was when it was begun. */
export class ChangedError extends FailedError {}

/** The storage sends no ranges, or none that are sure to be of one version: the file has to be read in one request. */
export class NoRangesError extends ChangedError {}

/** What has arrived is not what was sent. Copied again it may well be right. */
export class CorruptError extends UnavailableError {}

const changed = new Set([412, 416]);

/**
 * What an answer of object storage means. It speaks XML: `<Error><Code>AccessDenied</Code><Message>Request has
 * expired</Message>…`.
 */
export function refusal(
  status: number,
  body: string,
  retryAfterMs: number | undefined,
  what: 'upload' | 'download',
): GantryError {
  const code = body.match(/<Code>([^<]*)<\/Code>/)?.[1];
  const message = body.match(/<Message>([^<]*)<\/Message>/)?.[1];
  const said = [code, message].filter(Boolean).join(': ') || 'no reason given';
  if ((status === 403 || status === 400) && /expired/i.test(said))
    return new LinkExpiredError(`the ${what} link has expired`, { status });
  const passing: ErrorFacts = { status, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 429) return new RateLimitedError(`the storage asks to slow down (HTTP 429, ${said})`, passing);
  if (status >= 500 || status === 408)
    return new UnavailableError(`the storage failed (HTTP ${status}, ${said})`, passing);
  if (what === 'download' && changed.has(status))
    return new ChangedError('it changed while it was being copied', { status });
  if (what === 'download' && status === 404)
    return new NotFoundError(`the storage does not have it (HTTP 404, ${said})`, { status });
  return new FailedError(`the storage refused the ${what} (HTTP ${status}, ${said})`, { status });
}

/** Object storage asks to slow down with more than one status (`503 SlowDown`). */
export function asksToSlowDown({ facts: { status } }: GantryError): boolean {
  return status === 408 || status === 429 || (status !== undefined && status >= 500);
}
