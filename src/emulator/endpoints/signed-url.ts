import { createHmac } from 'node:crypto';
import { equalsInConstantTime } from '../http/owner-check.ts';
import { storagePath } from '../http/read-request.ts';
import { RefusalError, refuseStorage, storageError } from '../http/reply.ts';
import type { Platform } from './platform.ts';

/** A URL that is valid for one object and one method, for `linkSeconds`. */
export function signUrl(
  method: 'GET' | 'PUT',
  key: string,
  { url, store, now, linkSeconds }: Platform,
  params: Record<string, string> = {},
): string {
  const path = storagePath + key.split('/').map(encodeURIComponent).join('/');
  const date = formatAmzDate(now());
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `EMULATOR/${date.slice(0, 8)}/us-east-1/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(linkSeconds),
    'X-Amz-SignedHeaders': 'host',
    ...params,
  });
  const signed = `${path}?${query}`;
  return `${url}${signed}&X-Amz-Signature=${signature(method, signed, store.key)}`;
}

/** Returns the object's key. Refuses an expired URL, and one not signed for this method, with 403. */
export function verifySignedUrl(
  method: 'GET' | 'PUT',
  url: URL,
  { store, now }: Pick<Platform, 'store' | 'now'>,
): string {
  const query = new URLSearchParams(url.searchParams);
  const actual = query.get('X-Amz-Signature');
  if (!actual) return refuseStorage(403, 'AccessDenied', 'Access Denied');
  query.delete('X-Amz-Signature');
  const isSignedWith = (key: string) =>
    equalsInConstantTime(actual, signature(method, `${url.pathname}?${query}`, key));
  // URLs of an earlier start have expired.
  if (store.previousKey !== undefined && isSignedWith(store.previousKey)) throw new RefusalError(expiredUrlReply);
  if (!isSignedWith(store.key)) {
    const reason = 'The request signature we calculated does not match the signature you provided.';
    refuseStorage(403, 'SignatureDoesNotMatch', reason);
  }
  const madeAt = Date.parse(parseAmzDate(query.get('X-Amz-Date') ?? ''));
  if (now() > madeAt + Number(query.get('X-Amz-Expires')) * 1000) throw new RefusalError(expiredUrlReply);
  return decodeURIComponent(url.pathname.slice(storagePath.length));
}

export const expiredUrlReply = storageError(403, 'AccessDenied', 'Request has expired');

/** Not the real AWS algorithm, but it detects every change as well. */
function signature(method: string, signed: string, key: string): string {
  return createHmac('sha256', key).update(`${method} ${signed}`).digest('hex');
}

/** 20261120T093000Z */
function formatAmzDate(time: number): string {
  return new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');
}

function parseAmzDate(amzDate: string): string {
  return amzDate.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
}
