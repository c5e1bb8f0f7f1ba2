import type { IncomingHttpHeaders } from 'node:http';
import type { Platform, RequestContext } from '../platform.ts';
import { type ReadableBody, RefusalError, type ServerReply, storageError } from '../server/reply.ts';
import { findObject } from '../volumes/object-key.ts';
import type { FileRecord } from '../volumes/tree.ts';
import { verifySignedUrl } from './signed-url.ts';

/** Gives a file of a volume, or the one range of it that is asked for, as object storage does. */
export async function getObject({ request, url }: RequestContext, platform: Platform): Promise<ServerReply> {
  const { headers, method } = request;
  if (headers.authorization !== undefined) throw refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  // A link is signed for one method: who asks for the head only is refused like anybody else.
  const key = verifySignedUrl(method as 'GET', url, platform);
  const file = findObject(platform.volumes, key);
  if (!file) throw refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const facts = objectHeaders(file);
  if (headers['if-match'] && headers['if-match'] !== facts.etag && headers['if-match'] !== '*') {
    throw refusal(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
  const whole = platform.volumes.parts.content(file.pieces);
  const range = parseRange(headers, file.size, facts);
  if (!range) return { status: 200, headers: facts, body: whole };
  const { start, end } = range;
  if (start >= file.size || start >= end) {
    const { headers: more, ...answer } = storageError(416, 'InvalidRange', 'The requested range is not satisfiable');
    throw new RefusalError({ ...answer, headers: { ...more, 'content-range': `bytes */${file.size}` } });
  }
  const part: ReadableBody = { size: end - start, read: (from, to) => whole.read(start + from, start + to) };
  const contentRange = `bytes ${start}-${end - 1}/${file.size}`;
  return { status: 206, headers: { ...facts, 'content-range': contentRange }, body: part };
}

function objectHeaders({ etag, modified }: FileRecord) {
  return {
    etag: `"${etag}"`,
    'last-modified': new Date(modified).toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': 'binary/octet-stream',
  };
}

/**
 * The bytes asked for, from `start` to before `end`; undefined for the whole: no range, several at once, one that
 * cannot be read, or an `If-Range` that names other content.
 */
function parseRange(headers: IncomingHttpHeaders, size: number, facts: ReturnType<typeof objectHeaders>) {
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== facts.etag && ifRange !== facts['last-modified']) return undefined;
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

function refusal(status: number, code: string, message: string): RefusalError {
  return new RefusalError(storageError(status, code, message));
}
