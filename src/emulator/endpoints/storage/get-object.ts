import type { IncomingHttpHeaders } from 'node:http';
import { type ReadableBody, RefusalError, type ServerReply, storageError } from '../../http/reply.ts';
import { findObject } from '../../running/volumes/object-key.ts';
import type { VolumeFile } from '../../running/volumes/volume.ts';
import type { Platform, RequestContext } from '../platform.ts';
import { verifySignedUrl } from './signed-url.ts';

/** Replies with a file of a volume or one byte range of it, as object storage does. */
export async function getObject({ request, url }: RequestContext, platform: Platform): Promise<ServerReply> {
  const { headers, method } = request;
  if (headers.authorization !== undefined) throw refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  // A URL is signed for one method, so HEAD is refused.
  const key = verifySignedUrl(method as 'GET', url, platform);
  const file = findObject(platform.volumes, key);
  if (!file) throw refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const fileHeaders = objectHeaders(file);
  if (headers['if-match'] && headers['if-match'] !== fileHeaders.etag && headers['if-match'] !== '*') {
    throw refusal(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
  const whole = platform.volumes.content(file);
  const range = parseRange(headers, file.size, fileHeaders);
  if (!range) return { status: 200, headers: fileHeaders, body: whole };
  const { start, end } = range;
  if (start >= file.size || start >= end) {
    const { headers: errorHeaders, ...error } = storageError(
      416,
      'InvalidRange',
      'The requested range is not satisfiable',
    );
    throw new RefusalError({ ...error, headers: { ...errorHeaders, 'content-range': `bytes */${file.size}` } });
  }
  const { readAtOnce } = whole;
  const part: ReadableBody = {
    size: end - start,
    read: (from, to) => whole.read(start + from, start + to),
    ...(readAtOnce && { readAtOnce: () => readAtOnce().subarray(start, end) }),
  };
  const contentRange = `bytes ${start}-${end - 1}/${file.size}`;
  return { status: 206, headers: { ...fileHeaders, 'content-range': contentRange }, body: part };
}

function objectHeaders({ etag, modified }: VolumeFile) {
  return {
    etag: `"${etag}"`,
    'last-modified': new Date(modified).toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'binary/octet-stream',
  };
}

/**
 * The requested byte range; `end` is exclusive. Undefined means the whole file: without a range, with several or an
 * invalid one, and if `If-Range` does not match.
 */
function parseRange(headers: IncomingHttpHeaders, size: number, fileHeaders: ReturnType<typeof objectHeaders>) {
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== fileHeaders.etag && ifRange !== fileHeaders['last-modified'])
    return undefined;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

function refusal(status: number, code: string, message: string): RefusalError {
  return new RefusalError(storageError(status, code, message));
}
