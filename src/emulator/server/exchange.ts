import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { RecordedRequest } from './recorded-request.ts';
import type { ByteStream } from './reply.ts';
import { type ServerReply, toReadableBody } from './reply.ts';
import type { RouteMatch } from './routes.ts';

/** A request as it came in. */
export interface IncomingRequest {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** Undefined when it is for object storage, or for nothing we know. */
  readonly route: RouteMatch | undefined;
  readonly call: RecordedRequest;
}

/** A request and whatever becomes of it. */
export interface Exchange extends IncomingRequest {
  readonly response: ServerResponse;
  /** Carries the request out, with another body if one is given. What it gives is not sent yet. */
  readonly handle: (body?: ByteStream) => Promise<ServerReply>;
}

/** Sends an answer, no faster than it is read. Rejects when the reader goes before the end. */
export async function sendReply(exchange: Exchange, reply: ServerReply): Promise<void> {
  const { response } = exchange;
  const content = toReadableBody(reply);
  sendHead(exchange, reply, content.size);
  if (typeof reply.body === 'string') response.end(reply.body);
  else await pipeline(flushBeforeError(content.read(0, content.size ?? Number.POSITIVE_INFINITY), response), response);
}

/** What was given before it broke is to be on its way before the line is cut. */
async function* flushBeforeError(pieces: ByteStream, response: ServerResponse): ByteStream {
  try {
    yield* pieces;
  } catch (error) {
    await new Promise((done) => {
      response.once('close', done).write('', done);
    });
    throw error;
  }
}

/** Sends status and headers: an answer of so many bytes is to come, or one whose end will show. */
export function sendHead(
  { response, call }: Exchange,
  { status, headers }: ServerReply,
  bytes: number | undefined,
): void {
  call.status = status;
  response.writeHead(status, { ...headers, ...(bytes !== undefined && { 'content-length': bytes }) });
  // The first item of a stream may be long in coming.
  if (bytes === undefined) response.flushHeaders();
}
