import { createHmac } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { equalsInConstantTime } from '../http/owner-check.ts';
import { checkPutRequest, saveStream, storagePath } from '../http/read-request.ts';
import {
  maxAtOnceBytes,
  type ReadableBody,
  RefusalError,
  refuseStorage,
  type ServerReply,
  storageError,
} from '../http/reply.ts';
import { parseObjectKey, type VolumeFile } from '../running/volumes/volume.ts';
import type { VolumeStore } from '../running/volumes/volume-store.ts';
import { startBuild } from './builds/handlers.ts';
import type { Platform, RequestContext } from './platform.ts';

/** Replies with a file of a volume or one byte range of it, as object storage does. */
export async function getObject({ request, url }: RequestContext, platform: Platform): Promise<ServerReply> {
  const { headers, method } = request;
  if (headers.authorization !== undefined) refuseStorage(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  // A URL is signed for one method, so HEAD is refused.
  const key = verifySignedUrl(method as 'GET', url, platform);
  const file = findObject(platform.volumes, key);
  if (!file) return refuseStorage(404, 'NoSuchKey', 'The specified key does not exist.');
  const fileHeaders = objectHeaders(file);
  if (headers['if-match'] && headers['if-match'] !== fileHeaders.etag && headers['if-match'] !== '*') {
    refuseStorage(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
  const range = parseRange(headers, file.size, fileHeaders);
  if (!range) return { status: 200, headers: fileHeaders, body: contentOf(file) };
  const { start, end } = range;
  if (start >= file.size || start >= end) {
    const headers = { 'content-range': `bytes */${file.size}` };
    refuseStorage(416, 'InvalidRange', 'The requested range is not satisfiable', headers);
  }
  const contentRange = `bytes ${start}-${end - 1}/${file.size}`;
  return { status: 206, headers: { ...fileHeaders, 'content-range': contentRange }, body: contentOf(file, start, end) };
}

/** Undefined if the file was deleted. */
function findObject(volumes: VolumeStore, key: string): VolumeFile | undefined {
  const { location, names } = parseObjectKey(key);
  const entry = volumes.volume(location).find(names);
  return entry === 'folder' ? undefined : entry;
}

/** The bytes from `start` up to but not including `end`. */
function contentOf({ path, size }: VolumeFile, start = 0, end = size): ReadableBody {
  async function* read() {
    if (end > start) yield* createReadStream(path, { start, end: end - 1 });
  }
  const body = { size: end - start, read };
  return size > maxAtOnceBytes ? body : { ...body, readAtOnce: () => readFileSync(path).subarray(start, end) };
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

/** Reading a larger archive takes longer than receiving it. Meanwhile its build is pending. */
const largeBytes = 16 * 1024 * 1024;

/**
 * Receives an app's archive as object storage does: the presigned URL is the only permission. The arrival of the
 * archive starts the build, because no call reports the end of an upload (docs/platform.md#uploads).
 */
export async function putArchive({ request, url, body }: RequestContext, platform: Platform): Promise<ServerReply> {
  checkPutRequest(request);
  const key = verifySignedUrl('PUT', url, platform);
  const path = join(platform.storage, key);
  const { md5, size } = await saveStream(body, path);
  const build = [...platform.store.builds.values()].find((build) => build.keyName === key);
  if (build) {
    const starting = startBuild(build, platform, path);
    if (size < largeBytes) await starting;
    else platform.runner.runInBackground(starting);
  }
  return { status: 200, headers: { etag: `"${md5}"` }, body: '' };
}

/** Receives one part of an upload. A part that is sent again replaces the first one. */
export async function putPart({ request, url, body }: RequestContext, platform: Platform): Promise<ServerReply> {
  checkPutRequest(request);
  verifySignedUrl('PUT', url, platform);
  const { volumes } = platform;
  const upload = url.searchParams.get('uploadId') ?? '';
  const number = Number(url.searchParams.get('partNumber'));
  const md5 = volumes.uploads.has(upload) ? await volumes.addPart(upload, number, body) : undefined;
  if (md5 !== undefined) return { status: 200, headers: { etag: `"${md5}"` }, body: '' };
  const reason = 'The upload ID may be invalid, or the upload may have been aborted or completed.';
  return refuseStorage(404, 'NoSuchUpload', `The specified upload does not exist. ${reason}`);
}

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
