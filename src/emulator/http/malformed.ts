import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { jsonReply, type ServerReply, writeRawReply } from './reply.ts';

/** Replies with a message to requests that are not HTTP: Node would reply without a body. */
export function replyToMalformed(server: Server): void {
  // A reply that has begun must not get another one in the middle.
  const replying = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => {
    replying.add(socket);
    response.on('close', () => replying.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream: Duplex) => {
    stream.on('error', () => {});
    if (!stream.writable || replying.has(stream)) stream.destroy();
    else writeRawReply(stream, replyFor(error));
  });
}

function replyFor({ code, message }: NodeJS.ErrnoException): ServerReply {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return jsonReply({ message: 'the address and the headers of the request are too long' }, 431);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return jsonReply({ message: 'the request took too long' }, 408);
  return jsonReply({ message: `the request is not valid HTTP: ${message}` }, 400);
}
