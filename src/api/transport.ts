import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { UnavailableError } from '../errors.ts';
import { bodyOf } from './encoding.ts';

/** Largest reply kept in memory, bytes. No list of the platform comes near it. */
const replyLimit = 256 * 1024 * 1024;

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  signal: AbortSignal;
  /** Give up when no byte has moved for this long. */
  silenceMs: number;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The body as it came, when it is compressed; `body` is empty then. See encoding.ts. */
  encoded?: Buffer;
}

/** A request with a body that may be read as it leaves. */
export interface Message extends Pick<HttpRequest, 'method' | 'url' | 'headers' | 'signal'> {
  body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** An answer whose body is to be read, or cut by the signal of its request. */
export interface Opened extends Omit<HttpReply, 'body'> {
  statusText: string;
  body: Readable;
}

export type Send = (request: HttpRequest) => Promise<HttpReply>;

/** The connection failed. `mayHaveArrived` tells whether the server can have acted on the request. */
export class ConnectionError extends UnavailableError {
  constructor(
    message: string,
    readonly mayHaveArrived: boolean,
    cause: unknown,
  ) {
    super(message, { retryable: true, cause });
  }
}

/**
 * One request over node:http(s): it loads in a tenth of the time of a full client, and small calls need no more.
 * Redirects are not followed: the token must not travel on.
 */
export const sendPlainly: Send = async ({ method, url, headers, body, signal, silenceMs }) => {
  try {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = await begin({ method, url, headers: { ...headers, ...length }, signal });
    outgoing.setTimeout(silenceMs, () => outgoing.destroy(new Error(`no byte for ${silenceMs / 1000} s`)));
    outgoing.end(body);
    const reply = await answerTo(outgoing);
    return { status: reply.statusCode ?? 0, headers: reply.headers, ...bodyOf(await read(reply), reply.headers) };
  } catch (cause) {
    throw signal.aborted ? signal.reason : connectionFailure(url, cause);
  }
};

/** Begins a request over node:http(s), whose body is still to be sent. The signal cuts it. */
export async function begin({
  url,
  signal,
  ...options
}: Pick<RequestOptions, 'agent'> & Pick<HttpRequest, 'method' | 'url' | 'headers' | 'signal'>): Promise<ClientRequest> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  signal.throwIfAborted();
  const outgoing = request(url, options);
  // Node's own way of heeding a signal takes a millisecond to load.
  const cut = () => outgoing.destroy();
  signal.addEventListener('abort', cut, { once: true });
  return outgoing.once('close', () => signal.removeEventListener('abort', cut));
}

/** The answer to a request, whose body is still to be read. Whatever fails later fails there. */
export function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => outgoing.once('response', resolve).on('error', reject));
}

function read(reply: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    reply.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > replyLimit) reply.destroy(new Error(`the reply is larger than ${replyLimit} bytes`));
      chunks.push(chunk);
    });
    reply.on('end', () => resolve(Buffer.concat(chunks)));
    reply.on('error', reject);
    // After the end it is no news.
    reply.on('close', () => reject(new Error('the reply was cut off')));
  });
}

/** Codes of failures that happen before a single byte of the request has left. */
const beforeSending = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Says what failed in the user's words. Only host and port are named: a query may hold a signature. */
export function connectionFailure(url: URL, cause: unknown): ConnectionError {
  const code = errorCode(cause);
  const reason = reasons[code] ?? (cause instanceof Error && !isTls(code) ? cause.message : `TLS: ${code}`);
  // A line may also fall silent, or be gone, in the middle of a request.
  const early = (beforeSending.has(code) && !/^(read|write)$/.test(syscall(cause))) || isTls(code);
  return new ConnectionError(`could not reach ${url.host}: ${reason}`, !early, cause);
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
};

/** The system's code, wherever it hides: Node wraps it in a cause, or in the first of several errors. */
function errorCode(cause: unknown): string {
  const error = cause as { code?: unknown; cause?: unknown; errors?: unknown[] } | undefined;
  if (typeof error?.code === 'string' && error.code) return error.code;
  if (error?.errors?.length) return errorCode(error.errors[0]);
  return error?.cause ? errorCode(error.cause) : '';
}

function syscall(cause: unknown): string {
  return String((cause as NodeJS.ErrnoException | undefined)?.syscall ?? '');
}

function isTls(code: string): boolean {
  return /^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL|EPROTO)/.test(code);
}
