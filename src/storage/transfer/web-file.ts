import type { IncomingHttpHeaders } from 'node:http';
import {
  AuthError,
  DeniedError,
  type ErrorFacts,
  FailedError,
  type GantryError,
  NotFoundError,
} from '../../kernel/errors.ts';
import { isLoopbackHost, isSecure } from '../../platform/contract/address.ts';
import {
  type ContentAddress,
  type ContentReply,
  firstByte,
  infoOf,
  type RemoteFileInfo,
  readStart,
  requestError,
  requestStream,
  type StreamedStorageReply,
} from './range-request.ts';
import type { FileSum } from './read-content.ts';
import { ChangedError, changedStatuses, retryLaterError, statusFacts, UrlExpiredError } from './storage-errors.ts';
import { repeated, type TransferContext } from './transfer-context.ts';

/** A file behind a URL, which may lead to another host. */
export interface WebFile {
  url: string;
  /** Sent to the host of `url` only, never where it leads. */
  token?: string | undefined;
  sum: FileSum;
  /** Takes the SHA-256 of what was sent, once it is proven. */
  onProven?: (sha256: string) => void;
}

export interface WebAddress extends ContentAddress, RemoteFileInfo {
  hasRanges: boolean;
}

/** A reply with a status that is a success, and what it took to get it. */
interface FollowedReply extends ContentAddress {
  reply: StreamedStorageReply;
}

const redirects = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 10;

/** Finds out where the bytes of a file are, by asking for the first one. Retries what may pass. */
export function locateWebFile(file: Pick<WebFile, 'url' | 'token'>, resources: TransferContext): Promise<WebAddress> {
  return repeated(() => locate(file, resources), resources);
}

async function locate(file: Pick<WebFile, 'url' | 'token'>, resources: TransferContext): Promise<WebAddress> {
  const { reply, ...address } = await followRedirects(file, firstByte, resources);
  reply.drop();
  return { ...address, ...infoOf(reply), hasRanges: reply.statusCode === 206 };
}

/** The token goes to the first host only: once a redirect has left it, no further one gets it. */
export async function followRedirects(
  { url: first, token }: Pick<WebFile, 'url' | 'token'>,
  sent: Record<string, string>,
  resources: TransferContext,
): Promise<FollowedReply> {
  const receiving = { ...resources, dispatcher: resources.sourceDispatcher };
  const start = parseWebUrl(first);
  let url = start;
  let hasLeft = false;
  for (let count = 0; count <= maxRedirects; count++) {
    const headers: Record<string, string> = token && !hasLeft ? { authorization: `Bearer ${token}` } : {};
    const asked = url;
    const toError = (reply: ContentReply, now: number) => webError(reply, asked, hasLeft, now);
    const reply = await requestStream(url, { ...sent, ...headers }, receiving, resources.signal).catch((cause) => {
      throw requestError(cause, asked, resources, resources.signal);
    });
    const { statusCode: status } = reply;
    // An empty file has no first byte.
    if (status === 200 || status === 206 || status === 416) return { reply, url: url.href, headers, toError };
    if (!redirects.has(status)) {
      const body = await readStart(reply.body).catch(() => '');
      const error = toError({ status, headers: reply.headers, body }, resources.now());
      throw error instanceof UrlExpiredError ? refusal(status, url, {}) : error;
    }
    reply.drop();
    url = nextUrl(reply.headers, url, start);
    hasLeft ||= url.origin !== start.origin;
  }
  throw new FailedError(`${start.host} redirects more than ${maxRedirects} times`);
}

/** Throws a FailedError unless the URL may be used. */
export function parseWebUrl(text: string): URL {
  const url = new URL(text);
  if (isSecure(url)) return url;
  throw new FailedError(`the URL must begin with https: it begins with ${url.protocol}//${url.host}`);
}

/** A server elsewhere must not lead to one on this machine, nor https to http. */
function nextUrl({ location }: IncomingHttpHeaders, from: URL, start: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new FailedError(`${from.origin} redirects to no valid URL`);
  const next = new URL(location, from);
  const isSafe = next.protocol === 'https:' || (from.protocol === 'http:' && isSecure(next));
  if (!isSafe || (isLoopbackHost(next) && !isLoopbackHost(start))) {
    throw new FailedError(`${from.origin} redirects to ${next.protocol}//${next.host}`, {
      why: 'redirects are followed over https only, and not to this machine',
    });
  }
  return next;
}

/** The hub says why in headers, others in the body or not at all. */
function webError({ status, headers, body }: ContentReply, url: URL, hasLeft: boolean, now: number): GantryError {
  const why = [headers['x-error-message']].flat()[0] ?? /^\s*\{\s*"error"\s*:\s*"([^"]{1,300})"/.exec(body)?.[1];
  const facts = { ...statusFacts(status, headers, now), ...(why && { why }) };
  const busy = retryLaterError(status, url.host, facts);
  if (busy) return busy;
  if (changedStatuses.has(status)) return new ChangedError('the file changed during the copy', { status });
  // What a redirect led to is signed for some time, or has moved.
  if ((hasLeft && [400, 401, 403, 404, 410].includes(status)) || redirects.has(status))
    return new UrlExpiredError(`the URL at ${url.host} has expired`, { status });
  return refusal(status, url, facts);
}

const refusals: Readonly<
  Record<number, [kind: new (message: string, facts: ErrorFacts) => GantryError, what: string]>
> = {
  401: [AuthError, 'asks for a login'],
  403: [DeniedError, 'denies access'],
  404: [NotFoundError, 'has no such file'],
  410: [NotFoundError, 'has no such file'],
};

function refusal(status: number, { host }: URL, facts: ErrorFacts): GantryError {
  const [Kind, what] = refusals[status] ?? [FailedError, 'rejected the request'];
  const login = status === 401 && { fix: 'name a URL that needs no login, such as a signed one' };
  return new Kind(`${host} ${what} (HTTP ${status})`, { ...facts, status, ...login });
}
