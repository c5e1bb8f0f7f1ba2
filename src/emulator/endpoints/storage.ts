import { createReadStream, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { checkPutRequest, saveStream } from '../http/read-request.ts';
import { maxAtOnceBytes, type ReadableBody, refuseStorage, type ServerReply } from '../http/reply.ts';
import { parseObjectKey, type VolumeFile } from '../running/volumes/volume.ts';
import type { VolumeStore } from '../running/volumes/volume-store.ts';
import { startBuild } from './builds/handlers.ts';
import type { Platform, RequestContext } from './platform.ts';
import { verifySignedUrl } from './signed-url.ts';

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
