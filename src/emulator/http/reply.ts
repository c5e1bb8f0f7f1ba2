import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { stringifyJson } from '../../kernel/json-text.ts';

/** A reply to send. `content-length` is added when it is sent. */
export interface ServerReply {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | ReadableBody;
}

export interface ReadableBody {
  /** Bytes; undefined if unknown before the end. */
  readonly size: number | undefined;
  /** May be called once. */
  read(): ByteStream;
  /** Instead, for a small file: a stream takes longer. */
  readAtOnce?(): Buffer;
}

/** The largest file that is not streamed. */
export const maxAtOnceBytes = 64 * 1024;

export function toReadableBody({ body }: ServerReply): ReadableBody {
  if (typeof body !== 'string') return body;
  const bytes = Buffer.from(body);
  return {
    size: bytes.length,
    async *read() {
      yield bytes;
    },
  };
}

export function jsonReply(value: unknown, status = 200): ServerReply {
  return { status, headers: { 'content-type': 'application/json' }, body: stringifyJson(value) };
}

export function textReply(body: string): ServerReply {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** An error of a login (RFC 6749, 5.2): it has a code, unlike errors of the management API. */
export function oauthError(error: string, description: string): ServerReply {
  return jsonReply({ error, error_description: description }, 400);
}

/** What a proxy in front of the platform answers. */
export const badGatewayPage: ServerReply = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body>\n</html>\n',
};

/** An error of object storage: XML, with a code for each reason. */
export function storageError(status: number, code: string, message: string, headers = {}): ServerReply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body };
}

/** Ends the handling of a request; its reply is sent. */
export class RefusalError extends Error {
  constructor(readonly reply: ServerReply) {
    super(`${reply.status} ${STATUS_CODES[reply.status]}`);
  }
}

/** The reply of a `RefusalError`. Throws every other error. */
export function refusalOf(error: unknown): ServerReply {
  if (error instanceof RefusalError) return error.reply;
  throw error;
}

/** Throws a `RefusalError` with a JSON `{message}` (spec 2.16). */
export function refuse(status: number, message: string): never {
  throw new RefusalError(jsonReply({ message }, status));
}

/** Refuses as object storage does. */
export function refuseStorage(...error: Parameters<typeof storageError>): never {
  throw new RefusalError(storageError(...error));
}

export type ByteStream = AsyncIterable<Buffer>;

/** How a body ended: its reader may also leave, and what writes it may fail. */
type BodyEnd = 'complete' | 'left' | Error;

/** What sees the chunks of a body, and its end. */
export interface BodyWatch {
  onChunk?(chunk: Buffer): void;
  onEnd(end: BodyEnd): void;
}

/** Returns the same reply. A text has ended by then. */
export function watchReply(reply: ServerReply, watch: BodyWatch): ServerReply {
  const { body } = reply;
  if (typeof body !== 'string') {
    return { ...reply, body: { size: body.size, read: () => watchChunks(body.read(), watch) } };
  }
  watch.onChunk?.(Buffer.from(body));
  watch.onEnd('complete');
  return reply;
}

async function* watchChunks(chunks: ByteStream, watch: BodyWatch): ByteStream {
  let end: BodyEnd = 'left';
  try {
    for await (const chunk of chunks) {
      watch.onChunk?.(chunk);
      yield chunk;
    }
    end = 'complete';
  } catch (error) {
    end = error as Error;
    throw error;
  } finally {
    watch.onEnd(end);
  }
}

/** Replies on an upgraded connection, and closes it. */
export function writeRawReply(stream: Duplex, { status, headers, body }: ServerReply): void {
  const text = typeof body === 'string' ? body : '';
  writeRawHead(stream, status, { ...headers, connection: 'close', 'content-length': `${Buffer.byteLength(text)}` });
  stream.end(text);
  // The end of the client's side is only noticed if it is read.
  stream.resume();
}

/** Writes the status line and headers of a reply on an upgraded connection. */
export function writeRawHead(stream: Duplex, status: number, headers: NodeJS.Dict<string | string[]>): void {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => `${name}: ${value}\r\n`),
  );
  stream.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
}

/** Replies to a request that is neither recorded nor routed. */
export function endWithReply(response: ServerResponse, { status, headers, body }: ServerReply): void {
  const text = typeof body === 'string' ? body : '';
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}
