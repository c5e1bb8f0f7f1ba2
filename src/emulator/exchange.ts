import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from './calls.ts';
import type { Reply } from './reply.ts';
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
  /** Carries the request out. What it gives is not sent yet. */
  readonly answer: () => Promise<Reply>;
}

export function send({ response, call }: Exchange, { status, headers, body }: Reply): void {
  call.status = status;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
