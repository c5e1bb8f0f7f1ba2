import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { defined } from '../../kernel/json-text.ts';
import type { ByteStream } from '../http/reply.ts';
import { type ServerReply, toReadableBody } from '../http/reply.ts';
import type { RecordedRequest } from '../model/recorded-request.ts';
import type { RouteMatch } from './routes.ts';

export interface IncomingRequest {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** Undefined for object storage and for unknown routes. */
  readonly route: RouteMatch | undefined;
  readonly call: RecordedRequest;
}

export interface Exchange extends IncomingRequest {
  readonly response: ServerResponse;
  /** Handles the request, optionally with another body. The returned reply is not sent yet. */
  readonly handle: (body?: ByteStream) => Promise<ServerReply>;
}

/** Sends a reply with backpressure. Rejects when the client disconnects before the end. */
export async function sendReply(exchange: Exchange, reply: ServerReply): Promise<void> {
  const { response } = exchange;
  const content = toReadableBody(reply);
  sendHead(exchange, reply, content.size);
  if (typeof reply.body === 'string') response.end(reply.body);
  else if (content.readAtOnce) response.end(content.readAtOnce());
  else await pipeline(flushBeforeError(content.read(), response), response);
}

/** Flushes what was sent before an error closes the connection. */
async function* flushBeforeError(chunks: ByteStream, response: ServerResponse): ByteStream {
  try {
    yield* chunks;
  } catch (error) {
    await new Promise((done) => {
      response.once('close', done).write('', done);
    });
    throw error;
  }
}

/** Sends status and headers. `bytes` is undefined for a body of unknown length. */
export function sendHead(
  { response, call }: Exchange,
  { status, headers }: ServerReply,
  bytes: number | undefined,
): void {
  call.status = status;
  response.writeHead(status, { ...headers, ...defined({ 'content-length': bytes }) });
  // The first item of a stream may take long.
  if (bytes === undefined) response.flushHeaders();
}
