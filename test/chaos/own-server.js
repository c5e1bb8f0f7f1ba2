import { once } from 'node:events';
import { createServer } from 'node:http';

/** A server of this machine that speaks HTTP and nothing else. */
export class OwnServer {
  url = '';

  /** @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown} answer */
  constructor(answer) {
    this.server = createServer((request, response) => void answer(request, response));
    this.server.on('upgrade', (_, socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    // A connection that is closed while it is written to is the client's affair.
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  async start() {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    this.url = `http://127.0.0.1:${port}`;
    return this;
  }

  /** @returns {Promise<void>} */
  close() {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

/**
 * All bytes of a stream. `buffer` of node:stream/consumers makes a Blob of each, which takes twice as long.
 *
 * @param {import('node:stream').Readable} stream
 * @returns {Promise<Buffer>}
 */
export function bytesOf(stream) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const pieces = [];
    stream.on('data', (piece) => pieces.push(piece));
    stream.once('end', () => resolve(Buffer.concat(pieces)));
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('closed before its end')));
  });
}
