import { createHash, randomUUID } from 'node:crypto';
import { filled, integer, list, optional, shape, text } from './checks.js';
import { failed } from './failed.js';

/** @typedef {import('./types.ts').Request} Request @typedef {import('./types.ts').Answer} Answer */
/** @typedef {import('./index.js').StrictPlatform} Platform */

const leastPart = 5 * 1024 * 1024;
const at = '/v2/projects/:project/volumes/:volume';

/** Files on volumes (spec 4.10, 4.11; docs/platform.md#volumes). */
export const volumeRoutes = [
  {
    point: 'initialize',
    method: 'POST',
    path: `${at}/cp/initialize`,
    query: ['region'],
    body: shape({ file_path: filled, part_count: integer, region: optional(text) }),
    answer: initialize,
  },
  {
    point: 'complete',
    method: 'POST',
    path: `${at}/cp/complete`,
    query: ['region'],
    body: shape({
      upload_id: filled,
      file_path: filled,
      region: optional(text),
      parts: list(shape({ part_number: integer, etag: filled })),
    }),
    answer: complete,
  },
  { point: 'ls', method: 'GET', path: `${at}/ls`, query: ['region', 'dir'], answer: listFolder },
  { point: 'download', method: 'GET', path: `${at}/download`, query: ['region', 'file_path'], answer: download },
  { point: 'rm', method: 'DELETE', path: `${at}/rm`, query: ['region', 'file_path'], answer: remove },
  // No document shows the reply.
  {
    point: 'list-volumes',
    method: 'GET',
    path: '/v2/projects/:project/volumes',
    answer: () => ({ status: 200, json: [] }),
  },
];

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function initialize({ json, query }, platform) {
  const { store } = platform;
  const { file_path: path, part_count: count, region } = /** @type {any} */ (json);
  if (region !== undefined && query.has('region') && query.get('region') !== region) {
    platform.complain(`initialize: region ${query.get('region')} in the query, ${region} in the body`);
  }
  const where = region ?? query.get('region') ?? 'us-east-1';
  if (!store.volume(where)) return noVolume(platform);
  if (count < 1 || count > 10_000) {
    platform.complain(`initialize: part_count is ${count}`);
    return failed(400, 'part_count must be between 1 and 10000');
  }
  const id = randomUUID();
  store.uploads.set(id, { id, path, region: where, count, parts: new Map(), isDone: false });
  const parts = Array.from({ length: count }, (_, index) => ({
    part_number: index + 1,
    url: store.sign(platform.url, { kind: 'part', upload: id, number: index + 1 }, `volumes/${id}`),
  }));
  return { status: 200, json: { upload_id: id, parts } };
}

/** @param {Request} request @param {Platform} platform @param {{ dropPart?: boolean }} [how] @returns {Answer} */
export function complete({ json }, platform, { dropPart = false } = {}) {
  const { store } = platform;
  const { upload_id: id, file_path: path, parts } = /** @type {any} */ (json);
  const upload = store.uploads.get(id);
  if (!upload || upload.isDone) return failed(404, 'upload not found');
  const refuse = (/** @type {string} */ why) => {
    platform.complain(`complete: ${why}`);
    return failed(400, why);
  };
  if (upload.path !== path) return refuse(`file_path is ${path}, begun was ${upload.path}`);
  if (parts.length !== upload.count) return refuse(`${parts.length} parts, begun were ${upload.count}`);
  const pieces = [];
  for (const [index, { part_number: number, etag }] of parts.entries()) {
    if (number !== index + 1) return refuse(`part ${number} stands at place ${index + 1}`);
    const part = upload.parts.get(number);
    if (!part) return refuse(`part ${number} was never uploaded`);
    if (part.etag !== etag) return refuse(`part ${number} has the ETag ${part.etag}, not ${etag}`);
    if (index < parts.length - 1 && part.bytes.length < leastPart) return refuse(`part ${number} is below 5 MiB`);
    pieces.push(part.bytes);
  }
  upload.isDone = true;
  // As S3 names what came in parts: the MD5 of their MD5s, and their number.
  const md5s = pieces.map((piece) => createHash('md5').update(piece).digest());
  const etag = `"${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${pieces.length}"`;
  const stored = dropPart ? pieces.slice(0, -1) : pieces;
  store.volume(upload.region)?.set(path, { bytes: Buffer.concat(stored), modified: Date.now(), etag });
  return { status: 200, json: { message: 'upload complete' } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function listFolder({ query }, platform) {
  const { store } = platform;
  const files = store.volume(query.get('region') ?? 'us-east-1');
  if (!files) return noVolume(platform);
  const asked = query.get('dir') ?? '/';
  const folder = asked.endsWith('/') ? asked : `${asked}/`;
  const folders = new Set();
  const entries = [];
  for (const [path, file] of files) {
    if (!path.startsWith(folder)) continue;
    const [name = '', ...deeper] = path.slice(folder.length).split('/');
    if (deeper.length > 0) folders.add(name);
    else entries.push(entryOf(name, file));
  }
  if (folders.size + entries.length === 0 && folder !== '/' && store.style.missing === '404') {
    return failed(404, `directory ${asked} not found`);
  }
  const inner = [...folders].sort().map((name) => ({
    name: store.style.slash ? `${name}/` : name,
    is_folder: true,
    size_bytes: 0,
    last_modified: '0001-01-01T00:00:00Z',
  }));
  return { status: 200, json: [...inner, ...entries.sort((a, b) => (a.name < b.name ? -1 : 1))] };
}

/** @param {string} name @param {import('./types.ts').StoredFile} file */
function entryOf(name, { bytes, modified }) {
  return { name, is_folder: false, size_bytes: bytes.length, last_modified: new Date(modified).toISOString() };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function download({ query }, platform) {
  const { store } = platform;
  const region = query.get('region') ?? 'us-east-1';
  const path = query.get('file_path');
  if (path === null) {
    platform.complain('download: no file_path');
    return failed(400, 'file_path is required');
  }
  if (!store.volume(region)) return noVolume(platform);
  if (!store.volume(region)?.has(path)) return failed(404, `file ${path} not found`);
  return { status: 200, json: { url: store.sign(platform.url, { kind: 'object', region, path }, 'object') } };
}

/** @param {Request} request @param {Platform} platform @returns {Answer} */
function remove({ query }, platform) {
  const { store } = platform;
  const files = store.volume(query.get('region') ?? 'us-east-1');
  const path = query.get('file_path');
  if (!path) {
    platform.complain('rm: no file_path');
    return failed(400, 'file_path is required');
  }
  if (!files) return noVolume(platform);
  const gone = [...files.keys()].filter((name) => (path.endsWith('/') ? name.startsWith(path) : name === path));
  for (const name of gone) files.delete(name);
  return gone.length > 0 ? { status: 200, text: `${path} was deleted` } : failed(404, `${path} not found`);
}

/** @param {Platform} platform */
function noVolume(platform) {
  platform.complain('a region that was never named');
  return failed(404, 'volume default does not exist in this region');
}
