// The platform as a bench needs it, in a process of its own: it begins and completes uploads, takes every PUT and keeps
// nothing of it but its size, checks the rules of parts, lists what was uploaded, and gives files of zeros.
// Started by candidates.js, with the options as JSON; it says its address. GET /line tells what passed since the last time.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { converse, giveZeros, json, reply } from './conversation.js';
import { Line } from './shaped-line.js';

/** @import { Socket } from 'node:net' */
/** @import { Request } from './conversation.js' */
/** @import { LineShape, ShapedConnection } from './shaped-line.js' */

/**
 * @typedef {object} SinkOptions
 * @property {{ key: string, cert: string }} [tls] files; without them it is HTTP
 * @property {LineShape} [line] how fast and how far away it is
 * @property {Record<string, string>} [etags] of parts by their length; others get one that is no MD5
 * @property {{ files: number, bytes: number }} [folder] what the root holds: file0.bin, file1.bin, each of so many bytes
 */

/** @type {SinkOptions} */
const { tls, line: shape = {}, etags = {}, folder = { files: 0, bytes: 0 } } = JSON.parse(process.argv[2] ?? '{}');

const server = tls
  ? createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, take)
  : createServer({ noDelay: true }, take);
server.listen(0, '127.0.0.1', () => process.stdout.write(address()));

function address() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
}

const line = new Line(shape);

/** @param {Socket} socket */
function take(socket) {
  const connection = line.connect(socket);
  converse(socket, (request) => connection.replyLater(() => answer(request, connection)));
}

let uploads = 0;

/**
 * @param {Request} request
 * @param {ShapedConnection} connection
 */
function answer({ method, url, range, bytes, body }, connection) {
  const { socket } = connection;
  const path = url.pathname;
  if (method === 'PUT') socket.write(receive(path, bytes));
  else if (path.startsWith('/file/')) giveFile(range, connection);
  else if (path.endsWith('/cp/initialize')) socket.write(json(begun(JSON.parse(body).part_count)));
  else if (path.endsWith('/cp/complete')) socket.write(complete(JSON.parse(body)));
  else if (path.endsWith('/ls')) socket.write(json(listing(url.searchParams.get('dir') ?? '/')));
  else if (path.endsWith('/download')) {
    socket.write(json({ url: `${address()}/file${url.searchParams.get('file_path')}` }));
  } else if (path === '/line') socket.write(json(line.takeStats()));
  else socket.write(reply('404 Not Found', {}));
}

/** @param {number} count */
function begun(count) {
  const upload = String(++uploads);
  const parts = Array.from({ length: count }, (_, index) => ({
    part_number: index + 1,
    url: `${address()}/part/${upload}/${index + 1}`,
  }));
  received.set(upload, new Map());
  return { upload_id: upload, parts };
}

/** @type {Map<string, Map<number, number>>} bytes of each part, by upload */
const received = new Map();
/** @type {Map<string, Map<string, number>>} bytes of each file, by folder */
const folders = new Map();

/**
 * What curl sends belongs to no upload.
 * @param {string} path
 * @param {number} bytes
 */
function receive(path, bytes) {
  const [, upload = '', number] = /^\/part\/([^/]+)\/(\d+)$/.exec(path) ?? [];
  const parts = received.get(upload);
  if (!parts && upload !== 'curl') return reply('404 Not Found', {});
  parts?.set(Number(number), bytes);
  return reply('200 OK', { etag: etagOf(bytes) });
}

/** @param {number} bytes */
function etagOf(bytes) {
  return `"${etags[bytes] ?? `of-${bytes}-bytes`}"`;
}

/** Of storage: all parts but the last have at least this many bytes. */
const minPartBytes = 5 * 2 ** 20;

/** @param {{ upload_id: string, file_path: string, parts: { part_number: number, etag: string }[] }} completed */
function complete({ upload_id: upload, file_path: path, parts: named }) {
  const parts = received.get(upload) ?? new Map();
  const isWhole =
    named.length === parts.size && named.every(({ part_number: n, etag }) => etag === etagOf(parts.get(n)));
  const isAllowed = named.slice(0, -1).every(({ part_number: number }) => parts.get(number) >= minPartBytes);
  if (!isWhole || !isAllowed) return reply(isWhole ? '400 EntityTooSmall' : '400 InvalidPart', {});
  const end = path.lastIndexOf('/') + 1;
  const files = folders.get(path.slice(0, end)) ?? new Map();
  const bytes = [...parts.values()].reduce((sum, each) => sum + each, 0);
  folders.set(path.slice(0, end), files.set(path.slice(end), bytes));
  received.delete(upload);
  return reply('200 OK', {});
}

/** @param {string} dir */
function listing(dir) {
  const entry = (/** @type {string} */ name, /** @type {number} */ bytes, /** @type {string} */ modified) => ({
    name,
    is_folder: false,
    size_bytes: bytes,
    last_modified: modified,
  });
  const given = dir === '/' ? Array.from({ length: folder.files }, (_, index) => `file${index}.bin`) : [];
  return [
    ...given.map((name) => entry(name, folder.bytes, '2026-01-01T00:00:00Z')),
    ...[...(folders.get(dir) ?? [])].map(([name, bytes]) => entry(name, bytes, new Date().toISOString())),
  ];
}

/**
 * As if it had been uploaded in parts: of its ETag nothing can be checked.
 * @param {string | undefined} range
 * @param {ShapedConnection} connection
 */
function giveFile(range, { socket, downward }) {
  const [, first = '0', last = String(folder.bytes - 1)] = range?.match(/^bytes=(\d+)-(\d+)$/) ?? [];
  const left = Number(last) - Number(first) + 1;
  const part = range ? { 'content-range': `bytes ${first}-${last}/${folder.bytes}` } : {};
  const headers = { etag: '"0123456789abcdef0123456789abcdef-2"', ...part };
  socket.write(reply(range ? '206 Partial Content' : '200 OK', headers, left));
  giveZeros(socket, left, downward);
}
