import type { IncomingHttpHeaders } from 'node:http';

/**
 * Identifies the version of a remote file: its ETag, or else its modification date. Undefined if two versions may share
 * them: a weak ETag, or a date within the last second (RFC 9110, 8.8).
 */
export function readVersion(headers: IncomingHttpHeaders): string | undefined {
  const { etag = '', date, 'last-modified': modified } = headers;
  if (etag !== '' && !etag.startsWith('W/')) return etag;
  const modifiedAt = Date.parse(modified ?? '');
  if (Number.isNaN(modifiedAt)) return undefined;
  const age = date === undefined ? Number.POSITIVE_INFINITY : Date.parse(date) - modifiedAt;
  return age >= 1_000 ? datePrefix + modified : undefined;
}

/** Whether a response with these headers has this version. */
export function hasVersion(
  version: string,
  { etag = '', 'last-modified': modified = '' }: IncomingHttpHeaders,
): boolean {
  return version.startsWith(datePrefix) ? modified === version.slice(datePrefix.length) : etag === version;
}

/** Request headers that make the storage reject another version. */
export function conditionalHeaders(version: string | undefined): Record<string, string> {
  if (version === undefined) return {};
  return version.startsWith(datePrefix)
    ? { 'if-unmodified-since': version.slice(datePrefix.length) }
    : { 'if-match': version };
}

export function versionEtag(version: string | undefined): string | undefined {
  return version?.startsWith(datePrefix) ? undefined : version;
}

/** ETags are quoted, so none starts like this. A version is one string in the journal. */
const datePrefix = 'last-modified:';
