// The platform as a bench needs it, in a process of its own: it begins and completes uploads, takes every PUT and keeps
// nothing of it but its size, lists what was uploaded, and gives files of zeros.
// Started by transfer.js, with the options as JSON; it says its address.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { converse, giveZeros, json, reply } from './conversation.js';

/** @import { Request } from './conversation.js' */

/**
 * @typedef {object} SinkOptions
 * @property {{ key: string, cert: string }} [tls] files; without them it is HTTP
 * @property {number} [latencyMs] before each answer
 * @property {Record<string, string>} [etags] of parts by their length; others get one that is no MD5
 * @property {{ files: number, bytes: number }} [folder] what the root holds: file0.bin, file1.bin, each of so many bytes
 */

/** @type {SinkOptions} */
const { tls, latencyMs = 0, etags = {}, folder = { files: 0, bytes: 0 } } = JSON.parse(process.argv[2] ?? '{}');

const server = tls
  ? createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, take)
  : createServer({ noDelay: true }, take);
server.listen(0, '127.0.0.1', () => process.stdout.write(address()));

function address() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
}

/** @param {import('node:net').Socket} socket */
function take(socket) {
  converse(socket, (request) => {
    if (latencyMs > 0) setTimeout(() => answer(request, socket), latencyMs);
    else answer(request, socket);
  });
}

let uploads = 0;

/**
 * @param {Request} request
 * @param {import('node:net').Socket} socket
 */
function answer({ method, url, range, bytes, body }, socket) {
  const path = url.pathname;
  if (method === 'PUT') {
    receive(path, bytes);
    socket.write(reply('200 OK', { etag: `"${etags[bytes] ?? 'of-nothing'}"` }));
  } else if (path.startsWith('/file/')) giveFile(range, socket);
  else if (path.endsWith('/cp/initialize')) socket.write(json(begun(JSON.parse(body).part_count)));
  else if (path.endsWith('/cp/complete')) {
    complete(JSON.parse(body));
    socket.write(reply('200 OK', {}));
  } else if (path.endsWith('/ls')) socket.write(json(listing(url.searchParams.get('dir') ?? '/')));
  else if (path.endsWith('/download')) {
    socket.write(json({ url: `${address()}/file${url.searchParams.get('file_path')}` }));
  } else socket.write(reply('404 Not Found', {}));
}

/** @param {number} count */
function begun(count) {
  const upload = String(++uploads);
  const parts = Array.from({ length: count }, (_, index) => ({
    part_number: index + 1,
    url: `${address()}/part/${upload}/${index + 1}`,
  }));
  return { upload_id: upload, parts };
}

/** @type {Map<string, number>} bytes by upload */
const received = new Map();
/** @type {Map<string, Map<string, number>>} bytes of each file, by folder */
const folders = new Map();

/**
 * @param {string} path
 * @param {number} bytes
 */
function receive(path, bytes) {
  const [, upload] = /^\/part\/(\d+)\//.exec(path) ?? [];
  if (upload) received.set(upload, (received.get(upload) ?? 0) + bytes);
}

/** @param {{ upload_id: string, file_path: string }} completed */
function complete({ upload_id: upload, file_path: path }) {
  const end = path.lastIndexOf('/') + 1;
  const files = folders.get(path.slice(0, end)) ?? new Map();
  folders.set(path.slice(0, end), files.set(path.slice(end), received.get(upload) ?? 0));
  received.delete(upload);
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
 * @param {import('node:net').Socket} socket
 */
function giveFile(range, socket) {
  const [, first = '0', last = String(folder.bytes - 1)] = range?.match(/^bytes=(\d+)-(\d+)$/) ?? [];
  const left = Number(last) - Number(first) + 1;
  const part = range ? { 'content-range': `bytes ${first}-${last}/${folder.bytes}` } : {};
  const headers = { etag: '"0123456789abcdef0123456789abcdef-2"', ...part };
  socket.write(reply(range ? '206 Partial Content' : '200 OK', headers, left));
  giveZeros(socket, left);
}
