import { md5 } from './hash.ts';
import type { SentPart } from './parts.ts';
import { parseMd5Etag } from './put-request.ts';
import { CorruptError } from './storage-errors.ts';

/**
 * What throws a CorruptError unless this is the MD5 of a file with this ETag, which is the MD5 of the content, or the MD5 of
 * that if the file was uploaded in one part. Undefined for other ETags: the size of the parts is unknown.
 */
export function etagCheck(etag = '') {
  const [, onePartMd5] = /^(?:W\/)?"?([0-9a-f]{32})-1"?$/i.exec(etag) ?? [];
  const expected = onePartMd5?.toLowerCase() ?? parseMd5Etag(etag);
  if (expected === undefined) return undefined;
  return (actualMd5: string): void => {
    const actual = onePartMd5 === undefined ? actualMd5 : md5(Buffer.from(actualMd5, 'hex'));
    if (actual === expected) return;
    throw new CorruptError('checksum mismatch (MD5): the received bytes differ from the stored file', {
      retryable: true,
    });
  };
}

/** Without quotes: the MD5 of their MD5s, or that of the only part. Empty if their ETags are not MD5s. */
export function possibleEtags(parts: readonly SentPart[]): string[] {
  const sums = parts.map(({ etag }) => parseMd5Etag(etag)).filter((sum) => sum !== undefined);
  if (sums.length !== parts.length || parts.length === 0) return [];
  const composed = `${md5(Buffer.from(sums.join(''), 'hex'))}-${parts.length}`;
  return parts.length === 1 ? [...sums, composed] : [composed];
}

/** Without quotes and the prefix of weak ETags, in lower case. */
export function normalizeEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"|"$/g, '').toLowerCase();
}
