import { createHmac } from 'node:crypto';
import { equalsInConstantTime } from '../account/access.ts';
import type { Platform } from '../platform.ts';
import { RefusalError, storageError } from '../server/reply.ts';
import { storagePath } from './target.ts';

type SigningContext = Pick<Platform, 'url' | 'store' | 'now' | 'linkSeconds'>;

/** A presigned link to one object, for one method. It opens nothing else, and only for a while. */
export function signUrl(
  method: 'GET' | 'PUT',
  key: string,
  { url, store, now, linkSeconds }: SigningContext,
  more: Record<string, string> = {},
): string {
  const path = storagePath + key.split('/').map(encodeURIComponent).join('/');
  const date = formatAmzDate(now());
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `EMULATOR/${date.slice(0, 8)}/us-east-1/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(linkSeconds),
    'X-Amz-SignedHeaders': 'host',
    ...more,
  });
  const signed = `${path}?${query}`;
  return `${url}${signed}&X-Amz-Signature=${signature(method, signed, store.key)}`;
}

/** The key of the object a link is for. Refuses with 403 a link that we did not sign for this method, or an old one. */
export function verifySignedUrl(
  method: 'GET' | 'PUT',
  link: URL,
  { store, now }: Pick<Platform, 'store' | 'now'>,
): string {
  const query = new URLSearchParams(link.searchParams);
  const given = query.get('X-Amz-Signature');
  if (!given) throw refusal('AccessDenied', 'Access Denied');
  query.delete('X-Amz-Signature');
  const isSignedWith = (key: string) =>
    equalsInConstantTime(given, signature(method, `${link.pathname}?${query}`, key));
  // The links of an earlier start have ended with it.
  if (store.formerKey !== undefined && isSignedWith(store.formerKey)) throw new RefusalError(expiredUrlReply);
  if (!isSignedWith(store.key)) {
    throw refusal(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  const madeAt = Date.parse(parseAmzDate(query.get('X-Amz-Date') ?? ''));
  if (now() > madeAt + Number(query.get('X-Amz-Expires')) * 1000) throw new RefusalError(expiredUrlReply);
  return decodeURIComponent(link.pathname.slice(storagePath.length));
}

export const expiredUrlReply = storageError(403, 'AccessDenied', 'Request has expired');

function refusal(code: string, message: string): RefusalError {
  return new RefusalError(storageError(403, code, message));
}

/** Not the real algorithm, which only object storage can check: all that matters is that any change is noticed. */
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
