import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Call } from './recorded-request.ts';
import type { Body } from './reply.ts';
import { contentOf, type Reply } from './reply.ts';
import type { Match } from './routes.ts';

/** A request as it came in. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** Undefined when it is for object storage, or for nothing we know. */
  readonly route: Match | undefined;
  readonly call: Call;
}

/** A request and whatever becomes of it. */
export interface Exchange extends Incoming {
  readonly response: ServerResponse;
  /** Carries the request out, with another body if one is given. What it gives is not sent yet. */
  readonly answer: (body?: Body) => Promise<Reply>;
}

/** Sends an answer, no faster than it is read. Rejects when the reader goes before the end. */
export async function send(exchange: Exchange, reply: Reply): Promise<void> {
  const { response } = exchange;
  const content = contentOf(reply);
  announce(exchange, reply, content.size);
  if (typeof reply.body === 'string') response.end(reply.body);
  else await pipeline(untilBroken(content.read(0, content.size ?? Number.POSITIVE_INFINITY), response), response);
}

/** What was given before it broke is to be on its way before the line is cut. */
async function* untilBroken(pieces: Body, response: ServerResponse): Body {
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
export function announce({ response, call }: Exchange, { status, headers }: Reply, bytes: number | undefined): void {
  call.status = status;
  response.writeHead(status, { ...headers, ...(bytes !== undefined && { 'content-length': bytes }) });
  // The first item of a stream may be long in coming.
  if (bytes === undefined) response.flushHeaders();
}
