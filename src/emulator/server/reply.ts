import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What goes back over the wire. The `content-length` is added on sending, where it is known. */
export interface ServerReply {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | ReadableBody;
}

/** A body that is not held in memory. */
export interface ReadableBody {
  /** Bytes; undefined when nobody knows before the end. */
  readonly size: number | undefined;
  /** The bytes from `start` to before `end`. Of what has no size, all. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** A reply's body, whatever it is, as bytes to be read. */
export function toReadableBody({ body }: ServerReply): ReadableBody {
  if (typeof body !== 'string') return body;
  const bytes = Buffer.from(body);
  return {
    size: bytes.length,
    async *read(start, end) {
      yield bytes.subarray(start, end);
    },
  };
}

export function jsonReply(value: unknown, status = 200): ServerReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

export function textReply(body: string): ServerReply {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

export function htmlReply(status: number, heading: string): ServerReply {
  const body = `<html>\n<head><title>${heading}</title></head>\n<body><h1>${heading}</h1></body>\n</html>\n`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

/** Object storage complains in XML, with a code of its own for each reason. */
export function storageError(status: number, code: string, message: string): ServerReply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

/** Thrown anywhere while a request is answered, and sent as it is. */
export class RefusalError extends Error {
  constructor(readonly reply: ServerReply) {
    super(`${reply.status} ${STATUS_CODES[reply.status]}`);
  }
}

/** Ends a request with `{message}` (spec 2.16). */
export function refuse(status: number, message: string): never {
  throw new RefusalError(jsonReply({ message }, status));
}

/** What arrives, piece by piece: a request, or what a fault makes of it. */
export type ByteStream = AsyncIterable<Buffer>;

/** Answers on a connection that Node has handed over, and closes it. */
export function writeRawReply(stream: Duplex, { status, headers, body }: ServerReply): void {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': Buffer.byteLength(text) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`);
}

/** Answers a request that is neither recorded nor routed. */
export function endWithReply(response: ServerResponse, { status, headers, body }: ServerReply): void {
  const text = typeof body === 'string' ? body : '';
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}
