import type { IncomingHttpHeaders } from 'node:http';

/**
 * What tells the versions of a remote file apart: its ETag, or else when it was last modified. Undefined when the
 * storage gives neither, or only what two versions may share: a weak ETag, or a date that is not in the past yet
 * (RFC 9110, 8.8).
 */
export function readVersion(headers: IncomingHttpHeaders): string | undefined {
  const { etag = '', date, 'last-modified': modified } = headers;
  if (etag !== '' && !etag.startsWith('W/')) return etag;
  const modifiedAt = Date.parse(modified ?? '');
  if (Number.isNaN(modifiedAt)) return undefined;
  const age = date === undefined ? Number.POSITIVE_INFINITY : Date.parse(date) - modifiedAt;
  return age >= 1_000 ? dated + modified : undefined;
}

/** Whether these are the headers of this version. */
export function hasVersion(
  version: string,
  { etag = '', 'last-modified': modified = '' }: IncomingHttpHeaders,
): boolean {
  return version.startsWith(dated) ? modified === version.slice(dated.length) : etag === version;
}

/** Headers that ask the storage to refuse the request if it has another version. */
export function conditionalHeaders(version: string | undefined): Record<string, string> {
  if (version === undefined) return {};
  return version.startsWith(dated) ? { 'if-unmodified-since': version.slice(dated.length) } : { 'if-match': version };
}

/** The ETag in a version, if it has one. */
export function versionEtag(version: string | undefined): string | undefined {
  return version?.startsWith(dated) ? undefined : version;
}

/** No ETag begins like this, so that a version is one string in a journal. */
const dated = 'last-modified:';
