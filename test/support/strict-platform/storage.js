import { etagOf } from './store.js';

/** @typedef {import('./types.ts').Request} Request @typedef {import('./types.ts').Answer} Answer */
/** @typedef {import('./index.js').StrictPlatform} Platform */

/** Object storage behind signed links: no token, exact signatures, ranges and conditions as S3 has them. */
export const storageRoutes = [
  { point: 'put', method: 'PUT', path: '/storage/*', open: true, query: signed(), answer: put },
  { point: 'get', method: 'GET', path: '/storage/*', open: true, query: signed(), answer: get },
];

function signed() {
  return ['Algorithm', 'Date', 'Expires', 'SignedHeaders', 'Signature'].map((name) => `X-Amz-${name}`);
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function put(request, platform) {
  const { query, headers, body } = request;
  const link = linkOf(request, platform);
  if (!link || link.kind === 'object') return denied(platform, 'PUT with a link that is none for it');
  if (headers['transfer-encoding'] || headers['content-length'] === undefined) {
    platform.complain('put: no Content-Length');
    return xml(411, 'MissingContentLength');
  }
  const etag = etagOf(body);
  if (link.kind === 'zip') {
    if (headers['content-type'] !== 'application/zip') platform.complain('zip: Content-Type is not application/zip');
    const build = platform.store.builds.get(link.build);
    if (!build) return xml(404, 'NoSuchKey');
    if (build.status === 'cancelled') return { status: 200, bytes: Buffer.alloc(0), headers: { etag } };
    build.zip = body;
    return { status: 200, bytes: Buffer.alloc(0), headers: { etag } };
  }
  const upload = platform.store.uploads.get(link.upload);
  if (!upload || upload.isDone) return xml(404, 'NoSuchUpload');
  upload.parts.set(link.number, { etag, bytes: body });
  void query;
  return { status: 200, bytes: Buffer.alloc(0), headers: { etag } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function get(request, platform) {
  const { headers } = request;
  const link = linkOf(request, platform);
  if (link?.kind !== 'object') return denied(platform, 'GET with a link that is none for it');
  const file = platform.store.volume(link.region)?.get(link.path);
  if (!file) return xml(404, 'NoSuchKey');
  const { bytes, etag, modified } = file;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && ifMatch !== etag && ifMatch !== '*') return xml(412, 'PreconditionFailed');
  const common = {
    'accept-ranges': 'bytes',
    'last-modified': new Date(modified).toUTCString(),
    'content-type': 'application/octet-stream',
    etag,
  };
  const range = String(headers.range ?? '');
  if (!range) return { status: 200, bytes, headers: common };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  if (from === undefined) {
    platform.complain(`get: the range ${range} is not one`);
    return { status: 200, bytes, headers: common };
  }
  const start = Number(from);
  const end = Math.min(to ? Number(to) : bytes.length - 1, bytes.length - 1);
  if (start >= bytes.length || end < start) {
    return { ...xml(416, 'InvalidRange'), headers: { 'content-range': `bytes */${bytes.length}` } };
  }
  const piece = bytes.subarray(start, end + 1);
  return {
    status: 206,
    bytes: piece,
    headers: { ...common, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  };
}

/** @param {Request} request @param {Platform} platform */
function linkOf({ query, headers, point }, platform) {
  if (headers.authorization !== undefined) platform.complain(`${point}: a token was sent to a signed link`);
  if (headers.cookie !== undefined) platform.complain(`${point}: a cookie was sent to a signed link`);
  return platform.store.links.get(query.get('X-Amz-Signature') ?? '');
}

/** @param {Platform} platform @param {string} why */
function denied(platform, why) {
  platform.complain(why);
  return xml(403, 'SignatureDoesNotMatch');
}

/** @param {number} status @param {string} code @returns {Answer} */
function xml(status, code) {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, text, headers: { 'content-type': 'application/xml' } };
}
