import { createHmac } from 'node:crypto';
import { same } from './access.ts';
import type { Platform } from './platform.ts';
import { Refusal, storageError } from './reply.ts';

/** Where object storage begins in the platform's paths. */
export const storagePath = '/storage/';

/** Seconds an upload link is valid (wire §4). */
const linkSeconds = 600;

/** A presigned link to PUT one object. It opens nothing else, and only for a while. */
export function uploadLink(key: string, { url, store, now }: Platform): string {
  const link = new URL(storagePath + key, url);
  const date = amzDate(now());
  link.search = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `EMULATOR/${date.slice(0, 8)}/us-east-1/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(linkSeconds),
    'X-Amz-SignedHeaders': 'host',
  }).toString();
  link.searchParams.set('X-Amz-Signature', signature(link, store.key));
  return link.href;
}

/** The key of the object a link is for. Refuses a link that we did not sign, or that has expired, with 403. */
export function checkLink(link: URL, { store, now }: Platform): string {
  const given = link.searchParams.get('X-Amz-Signature');
  if (!given) throw refusal('AccessDenied', 'Access Denied');
  if (!same(given, signature(link, store.key))) {
    throw refusal(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  const madeAt = Date.parse(timeOf(link.searchParams.get('X-Amz-Date') ?? ''));
  if (now() > madeAt + linkSeconds * 1000) throw new Refusal(expiredLink);
  return decodeURIComponent(link.pathname.slice(storagePath.length));
}

export const expiredLink = storageError(403, 'AccessDenied', 'Request has expired');

function refusal(code: string, message: string): Refusal {
  return new Refusal(storageError(403, code, message));
}

/** Not the real algorithm, which only object storage can check: all that matters is that any change is noticed. */
function signature(link: URL, key: string): string {
  const signed = new URLSearchParams(link.searchParams);
  signed.delete('X-Amz-Signature');
  return createHmac('sha256', key).update(`PUT ${link.pathname}?${signed}`).digest('hex');
}

/** 20261120T093000Z */
function amzDate(time: number): string {
  return new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');
}

function timeOf(amzDate: string): string {
  return amzDate.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
}
