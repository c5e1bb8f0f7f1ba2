import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { type ErrorFacts, GantryError, UnavailableError, UnexpectedReplyError } from '../errors.ts';
import type { HttpReply } from './http-reply.ts';
import { toReplyBody } from './http-reply.ts';

/** Largest reply kept in memory, bytes. A folder of a million files comes in one reply of some 100 MiB. */
export const maxReplyBytes = 256 * 1024 * 1024;

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  signal: AbortSignal;
  /** Give up when no byte has moved for this long. */
  silenceMs: number;
  /** Largest reply held in memory, bytes. */
  maxBytes?: number | undefined;
}

export type Send = (request: HttpRequest) => Promise<HttpReply>;

/** The connection failed. `mayHaveArrived` tells whether the server can have acted on the request. */
export class ConnectionError extends UnavailableError {
  constructor(
    message: string,
    readonly mayHaveArrived: boolean,
    cause: unknown,
    facts: ErrorFacts = {},
  ) {
    super(message, { retryable: true, cause, ...facts });
  }
}

/** How long a connection may take to be made, with a proxy and TLS on the way, in milliseconds. */
export const connectTimeoutMs = 10_000;

/**
 * One request over node:http(s): it loads in a tenth of the time of a full client, and small calls need no more.
 * Redirects are not followed: the token must not travel on.
 */
export const sendDirectly: Send = (request) => sendWithAgent(request, undefined);

/** The same over connections of an agent. */
export async function sendWithAgent(
  { method, url, headers, body, signal, silenceMs, maxBytes = maxReplyBytes }: HttpRequest,
  agent: Agent | undefined,
): Promise<HttpReply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const { outgoing, failure } = await openRequest({ method, url, headers: { ...headers, ...length }, signal, agent });
  try {
    outgoing.setTimeout(silenceMs, () => outgoing.destroy(new Error(`no data for ${silenceMs / 1000} s`)));
    outgoing.end(body);
    const reply = await waitForResponse(outgoing);
    const bytes = await read(reply, url, maxBytes);
    return { status: reply.statusCode ?? 0, headers: reply.headers, ...toReplyBody(bytes, reply.headers) };
  } catch (cause) {
    throw failure(cause);
  }
}

/** A request that has begun. */
export interface Outgoing {
  /** Its body is still to be sent. */
  outgoing: ClientRequest;
  /** What to throw when the request has failed: it knows whether a byte of it can have left. */
  failure: (cause: unknown) => unknown;
}

/** Begins a request over node:http(s). The signal cuts it, and so does a connection that is not made in time. */
export async function openRequest({
  url,
  signal,
  ...options
}: Pick<RequestOptions, 'agent'> & Pick<HttpRequest, 'method' | 'url' | 'headers' | 'signal'>): Promise<Outgoing> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  signal.throwIfAborted();
  // An agent that makes a tunnel first has no socket to be cut yet: it is told by `until`.
  const outgoing = request(url, { ...options, until: signal } as RequestOptions);
  let isConnected = false;
  const connecting = setTimeout(() => outgoing.destroy(connectTimeoutError()), connectTimeoutMs);
  const connected = () => {
    isConnected = true;
    clearTimeout(connecting);
  };
  // Node's own way of heeding a signal takes a millisecond to load.
  const cut = () => outgoing.destroy();
  signal.addEventListener('abort', cut, { once: true });
  outgoing
    .once('socket', (socket) => {
      if (outgoing.reusedSocket) connected();
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
      // A tunnel without TLS is connected already.
      if (!('encrypted' in socket) && !socket.connecting) connected();
    })
    .once('close', () => {
      clearTimeout(connecting);
      signal.removeEventListener('abort', cut);
    });
  return {
    outgoing,
    failure: (cause) => {
      const { through } = (options.agent ?? {}) as { through?: string };
      if (signal.aborted) return signal.reason;
      return toConnectionError(url, cause, isConnected, isConnected ? undefined : through);
    },
  };
}

export function connectTimeoutError(): Error {
  return Object.assign(new Error('it was not connected in time'), { code: 'ETIMEDOUT', syscall: 'connect' });
}

/** The answer to a request, whose body is still to be read. Whatever fails later fails there. */
export function waitForResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => outgoing.once('response', resolve).on('error', reject));
}

function read(reply: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    reply.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) reply.destroy(replyTooLargeError(url, maxBytes));
      else chunks.push(chunk);
    });
    reply.on('end', () => resolve(Buffer.concat(chunks)));
    reply.on('error', reject);
    // After the end it is no news.
    reply.on('close', () => reject(new Error('the reply is incomplete')));
  });
}

export function replyTooLargeError({ host }: URL, maxBytes: number): UnexpectedReplyError {
  return new UnexpectedReplyError(`the reply of ${host} is larger than ${maxBytes / 1024 / 1024} MiB`);
}

/** Codes of failures that happen before a single byte of the request has left. */
const beforeSending = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Says what failed in the user's words. Only host and port are named: a query may hold a signature. `wasConnected`
 * tells whether the request can have left; without it the code of the failure decides. `through` names the proxy, where
 * the connection through it was not made to its end.
 */
export function toConnectionError(
  url: URL,
  cause: unknown,
  wasConnected = hadLeft(cause),
  through?: string,
): GantryError {
  if (cause instanceof GantryError) return cause;
  const host = through === undefined ? url.host : `${url.host} through ${through}`;
  const what = wasConnected ? `the connection to ${host} failed` : `cannot connect to ${host}`;
  return new ConnectionError(`${what}: ${connectionFailureReason(cause)}`, wasConnected, cause);
}

/** A connection may also fall silent, or be gone, in the middle of a request. */
function hadLeft(cause: unknown): boolean {
  const code = errorCode(cause);
  const early = (beforeSending.has(code) && !/^(read|write)$/.test(syscall(cause))) || isTls(code);
  return !early;
}

/** In the user's words. */
export function connectionFailureReason(cause: unknown): string {
  const code = errorCode(cause);
  return reasons[code] ?? tlsReason(code) ?? (cause instanceof Error ? cause.message : String(cause));
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS lookup failed',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'timed out',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection reset',
  UND_ERR_CONNECT_TIMEOUT: 'timed out',
};

/** Undefined if it is not about TLS. The code stays, as it is what one searches for. */
function tlsReason(code: string): string | undefined {
  if (!isTls(code)) return undefined;
  const [reason = 'the TLS handshake failed'] = Object.entries(tlsReasons).flatMap(([words, codes]) =>
    codes.includes(code) ? [words] : [],
  );
  return `${reason} (${code})`;
}

const tlsReasons: Record<string, string[]> = {
  'its certificate has expired': ['CERT_HAS_EXPIRED'],
  'its certificate is not valid yet': ['CERT_NOT_YET_VALID'],
  'its certificate was revoked': ['CERT_REVOKED'],
  'its certificate is self-signed': ['DEPTH_ZERO_SELF_SIGNED_CERT'],
  "its certificate is issued by an authority that is not trusted; set NODE_EXTRA_CA_CERTS if it is your company's": [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_VERIFY_FIRST_CERTIFICATE',
    'CERT_UNTRUSTED',
  ],
  'its certificate is for another host name': ['ERR_TLS_CERT_ALTNAME_INVALID'],
  'it does not speak TLS': ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'],
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
