import { md5 } from './hash.ts';
import { parseMd5Etag } from './put-request.ts';
import { CorruptError } from './storage-errors.ts';
import type { SentPart } from './upload-file.ts';

/**
 * The checksum of a whole file in its ETag: the MD5 of the content, or the MD5 of that MD5 if the file was uploaded in
 * one part. Undefined for other ETags: nobody tells how a file of several parts was divided.
 */
export function parseEtagChecksum(etag = ''): Checksum | undefined {
  const [, ofOnePart] = /^(?:W\/)?"?([0-9a-f]{32})-1"?$/i.exec(etag) ?? [];
  const wanted = ofOnePart?.toLowerCase() ?? parseMd5Etag(etag);
  return wanted === undefined ? undefined : new Checksum(wanted, ofOnePart !== undefined);
}

/**
 * The ETags that storage may give a file of these parts, without quotes: the MD5 of their MD5s, and that of the only
 * part. Empty if the parts' own ETags are not MD5s.
 */
export function possibleEtags(parts: readonly SentPart[]): string[] {
  const sums = parts.map(({ etag }) => parseMd5Etag(etag)).filter((sum) => sum !== undefined);
  if (sums.length !== parts.length || parts.length === 0) return [];
  const composed = `${md5(Buffer.from(sums.join(''), 'hex'))}-${parts.length}`;
  return parts.length === 1 ? [...sums, composed] : [composed];
}

/** Without quotes, and whether it is weak or not. */
export function normalizeEtag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"|"$/g, '').toLowerCase();
}

class Checksum {
  constructor(
    private readonly wanted: string,
    private readonly isOfOnePart: boolean,
  ) {}

  /** Throws a CorruptError unless this is the MD5 (in hex) of the content meant. */
  check(arrived: string): void {
    const found = this.isOfOnePart ? md5(Buffer.from(arrived, 'hex')) : arrived;
    if (found === this.wanted) return;
    throw new CorruptError('something else arrived than the storage has (MD5)', { retryable: true });
  }
}
