import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { after, onAbort } from '../../kernel/clock.ts';
import { type ErrorFacts, GantryError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { trustCertificateFile } from '../../kernel/trusted-certificates.ts';
import { type HttpReply, toReply } from './http-reply.ts';
import { IdleTimeout, silenceError } from './idle-timeout.ts';
import { failureFacts, failureReason, isEarlyFailure } from './transient-failures.ts';

/** Maximum of a reply in memory. The listing of a million files is one reply of some 100 MiB. */
export const maxReplyBytes = 256 * 1024 * 1024;

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
  signal: AbortSignal;
  silenceMs: number;
  /** Whether a long body of a reply with status 200 may stay in chunks. */
  allowsChunks?: boolean;
}

export type Send = (request: HttpRequest) => Promise<HttpReply>;

/** A failed connection. `mayHaveArrived` tells whether the server may have received the request. */
export class ConnectionError extends UnavailableError {
  constructor(
    message: string,
    readonly mayHaveArrived: boolean,
    cause: unknown,
    facts: ErrorFacts = {},
  ) {
    super(message, { ...failureFacts(cause), cause, ...facts });
  }
}

export const connectTimeoutMs = 10_000;

/** With node:http(s), which loads in a tenth of undici's time. Follows no redirects: the token goes nowhere else. */
export const sendDirectly: Send = (request) => sendWithAgent(request, undefined);

export async function sendWithAgent(
  { method, url, headers, body, signal, silenceMs, allowsChunks }: HttpRequest,
  agent: Agent | undefined,
): Promise<HttpReply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const { outgoing, failure } = await openRequest({ method, url, headers: { ...headers, ...length }, signal, agent });
  let awaited: ClientRequest | IncomingMessage = outgoing;
  const idle = new IdleTimeout(silenceMs, (error) => awaited.destroy(error));
  try {
    outgoing.setTimeout(silenceMs, () => awaited.destroy(silenceError(silenceMs)));
    outgoing.once('finish', () => idle.restart()).once('close', () => idle.stop());
    outgoing.end(body);
    const reply = await waitForResponse(outgoing);
    awaited = reply;
    idle.restart();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      idle.received(chunk.length);
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxReplyBytes) throw replyTooLargeError(url, maxReplyBytes);
    }
    if (size === 0 && lacksEnd(reply, method)) throw incompleteReply();
    const head = { status: reply.statusCode ?? 0, headers: reply.headers };
    return toReply(head, chunks, () => url, allowsChunks);
  } catch (cause) {
    throw failure(cause);
  }
}

/**
 * Opens a request with node:http(s). The signal aborts it, as does a connection timeout. `failure` makes the error to throw
 * if it fails, which says whether it may have been sent.
 */
export async function openRequest({
  url,
  signal,
  ...options
}: Pick<RequestOptions, 'agent'> & Pick<HttpRequest, 'method' | 'url' | 'headers' | 'signal'>) {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  await trustCertificateFile();
  signal.throwIfAborted();
  // An agent that opens a tunnel has no socket yet: it gets the signal as `until`.
  const outgoing = request(url, { ...options, until: signal } as RequestOptions);
  let isConnected = false;
  const stopTimer = after(connectTimeoutMs, () => outgoing.destroy(connectTimeoutError()));
  const connected = () => {
    isConnected = true;
    stopTimer();
  };
  // Node's `signal` option takes a millisecond to load.
  const stopListening = onAbort(signal, () => outgoing.destroy());
  onConnected(outgoing, connected);
  outgoing.once('close', () => {
    stopTimer();
    stopListening();
  });
  return {
    outgoing,
    failure: (cause: unknown): unknown => {
      const { through } = (options.agent ?? {}) as { through?: string };
      if (signal.aborted) return signal.reason;
      return toConnectionError(url, cause, isConnected, isConnected ? undefined : through);
    },
  };
}

/** Calls when a request has a connection, over TLS if it is for https. */
export function onConnected(outgoing: ClientRequest, connected: () => void): void {
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket) connected();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    // A tunnel without TLS is connected already. A socket for which this machine has no descriptor never was.
    if (!('encrypted' in socket) && !socket.connecting && !socket.destroyed) connected();
  });
}

export function connectTimeoutError(): Error {
  return Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT', syscall: 'connect' });
}

/** Resolves to the response before its body is read. Settles before the connection is closed, whatever the server sends. */
export function waitForResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing
      .once('response', resolve)
      .once('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        reject(new Error(`the server changed the protocol (HTTP ${statusCode})`));
      })
      .on('error', reject)
      // Has no effect after the others.
      .once('close', () => reject(new Error('closed without a response')));
  });
}

export const incompleteReply = (): Error => new Error('the reply is incomplete');

/**
 * Whether only the end of the connection ends the body. Servers of HTTP/1.1 give even an empty body a length or chunks, so
 * nothing in it means that the connection was cut after a damaged head. Servers of HTTP/1.0 end every body so.
 */
export function lacksEnd({ httpVersion, statusCode = 0, headers }: IncomingMessage, method: string): boolean {
  if (httpVersion !== '1.1' || method === 'HEAD' || statusCode === 204 || statusCode === 304) return false;
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

export function replyTooLargeError({ host }: URL, maxBytes: number): UnexpectedReplyError {
  return new UnexpectedReplyError(`the reply of ${host} is larger than ${maxBytes / 1024 / 1024} MiB`);
}

/**
 * Describes a failed connection. Names only host and port, because a query may contain a signature. `wasConnected` tells
 * whether the request may have been sent; by default the error code decides. `through` names the proxy if the connection
 * through it was not established.
 */
export function toConnectionError(
  url: URL,
  cause: unknown,
  wasConnected = !isEarlyFailure(cause),
  through?: string,
): GantryError {
  if (cause instanceof GantryError) return cause;
  const host = through === undefined ? url.host : `${url.host} through ${through}`;
  const what = wasConnected ? `the connection to ${host} failed` : `cannot connect to ${host}`;
  return new ConnectionError(`${what}: ${failureReason(cause)}`, wasConnected, cause);
}
