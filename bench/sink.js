// The platform as a bench needs it, in a process of its own: it begins and completes uploads, takes every PUT and forgets
// it, and gives files of zeros. A parser of HTTP would be busier than those it is to measure, so there is none: requests
// come one after another on a connection, with the length of their bodies, as gantry and curl send them.
// Started by transfer.js, with the options as JSON; it says its address.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/**
 * @typedef {object} SinkOptions
 * @property {{ key: string, cert: string }} [tls] files; without them it is HTTP
 * @property {number} [latencyMs] before each answer
 * @property {Record<string, string>} [etags] of parts by their length; others get one that is no MD5
 * @property {{ files: number, bytes: number }} [folder] what the root holds: file0.bin, file1.bin, each of so many bytes
 */

/** @typedef {{ method: string, url: URL, range: string | undefined, bytes: number, body: string }} Request */

/** @type {SinkOptions} */
const { tls, latencyMs = 0, etags = {}, folder = { files: 0, bytes: 0 } } = JSON.parse(process.argv[2] ?? '{}');

const server = tls
  ? createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, converse)
  : createServer({ noDelay: true }, converse);
server.listen(0, '127.0.0.1', () => process.stdout.write(address()));

function address() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
}

/** @param {import('node:net').Socket} socket */
function converse(socket) {
  /** @type {Request | undefined} */
  let request;
  let head = '';
  let left = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    let piece = chunk;
    if (!request) {
      const seen = head.length;
      const end = seen > 0 ? -1 : chunk.indexOf('\r\n\r\n');
      head += chunk.toString('latin1', 0, end < 0 ? chunk.length : end + 4);
      const length = head.indexOf('\r\n\r\n') + 4;
      if (length < 4) return;
      request = readHead(head.slice(0, length));
      piece = chunk.subarray(length - seen);
      head = '';
      left = request.bytes;
    }
    if (request.method === 'POST') request.body += piece.toString('latin1');
    left -= piece.length;
    if (left > 0) return;
    const complete = request;
    request = undefined;
    if (latencyMs > 0) setTimeout(() => answer(complete, socket), latencyMs);
    else answer(complete, socket);
  });
}

/**
 * @param {string} text
 * @returns {Request}
 */
function readHead(text) {
  const [method = '', target = ''] = text.split(' ', 2);
  return {
    method,
    url: new URL(target, 'http://sink'),
    range: text.match(/^range: (.+)$/im)?.[1],
    bytes: Number(text.match(/^content-length: (\d+)/im)?.[1] ?? 0),
    body: '',
  };
}

let uploads = 0;

/**
 * @param {Request} request
 * @param {import('node:net').Socket} socket
 */
function answer({ method, url, range, bytes, body }, socket) {
  const path = url.pathname;
  if (method === 'PUT') socket.write(reply('200 OK', { etag: `"${etags[bytes] ?? 'of-nothing'}"` }));
  else if (path.startsWith('/file/')) giveFile(range, socket);
  else if (path.endsWith('/cp/initialize')) socket.write(json(begun(JSON.parse(body).part_count)));
  else if (path.endsWith('/cp/complete')) socket.write(reply('200 OK', {}));
  else if (path.endsWith('/ls')) socket.write(json(url.searchParams.get('dir') === '/' ? listing() : []));
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

function listing() {
  return Array.from({ length: folder.files }, (_, index) => ({
    name: `file${index}.bin`,
    is_folder: false,
    size_bytes: folder.bytes,
    last_modified: '2026-01-01T00:00:00Z',
  }));
}

const zeros = Buffer.alloc(2 ** 18);

/**
 * As if it had been uploaded in parts: of its ETag nothing can be checked.
 * @param {string | undefined} range
 * @param {import('node:net').Socket} socket
 */
function giveFile(range, socket) {
  const [, first = '0', last = String(folder.bytes - 1)] = range?.match(/^bytes=(\d+)-(\d+)$/) ?? [];
  let left = Number(last) - Number(first) + 1;
  const part = range ? { 'content-range': `bytes ${first}-${last}/${folder.bytes}` } : {};
  const headers = { etag: '"0123456789abcdef0123456789abcdef-2"', ...part };
  socket.write(reply(range ? '206 Partial Content' : '200 OK', headers, left));
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      const piece = zeros.subarray(0, left);
      left -= piece.length;
      if (!socket.write(piece) && left > 0) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
}

/** @param {unknown} value */
function json(value) {
  const text = JSON.stringify(value);
  return reply('200 OK', { 'content-type': 'application/json' }, text.length) + text;
}

/**
 * @param {string} status
 * @param {Record<string, string>} headers
 */
function reply(status, headers, length = 0) {
  const lines = Object.entries({ ...headers, 'content-length': length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}
