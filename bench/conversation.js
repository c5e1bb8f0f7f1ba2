// As much of HTTP as the servers of a bench need. A parser of all of it would be busier than those it is to measure:
// requests come one after another on a connection, with the length of their bodies, as gantry and curl send them.

/** @import { Socket } from 'node:net' */

/** @typedef {{ method: string, url: URL, range: string | undefined, bytes: number, body: string }} Request of a POST the body is kept */

/**
 * Calls back for every request, when all of it has come.
 * @param {Socket} socket
 * @param {(request: Request) => void} answer
 */
export function converse(socket, answer) {
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
    if (request.method === 'POST' && request.bytes <= keptBytes) request.body += piece.toString('latin1');
    left -= piece.length;
    if (left > 0) return;
    const complete = request;
    request = undefined;
    answer(complete);
  });
}

/** Nobody looks into a longer body. */
const keptBytes = 2 ** 20;

/**
 * @param {string} text
 * @returns {Request}
 */
function readHead(text) {
  const [method = '', target = ''] = text.split(' ', 2);
  return {
    method,
    url: new URL(target, 'http://bench'),
    range: text.match(/^range: (.+)$/im)?.[1],
    bytes: Number(text.match(/^content-length: (\d+)/im)?.[1] ?? 0),
    body: '',
  };
}

const zeros = Buffer.alloc(2 ** 18);

/**
 * Writes so many bytes, as fast as they are read, or as a line takes them.
 * @param {Socket} socket
 * @param {number} bytes
 * @param {{ pieceBytes: number, pauseMs: (bytes: number) => number }} [line] how long to wait after a piece of so many bytes
 */
export function giveZeros(socket, bytes, line) {
  let left = bytes;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      const piece = zeros.subarray(0, Math.min(left, line?.pieceBytes ?? zeros.length));
      left -= piece.length;
      const isTaken = socket.write(piece);
      const pauseMs = line?.pauseMs(piece.length) ?? 0;
      const next = pauseMs > 0 ? () => setTimeout(more, pauseMs) : more;
      if (!isTaken && left > 0) return void socket.once('drain', next);
      if (pauseMs > 0) return void next();
    }
  };
  more();
}

/** @param {unknown} value */
export function json(value) {
  const text = JSON.stringify(value);
  return reply('200 OK', { 'content-type': 'application/json' }, text.length) + text;
}

/**
 * @param {string} status
 * @param {Record<string, string>} headers
 */
export function reply(status, headers, length = 0) {
  const lines = Object.entries({ ...headers, 'content-length': length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}
