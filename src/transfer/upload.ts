import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type RetryOptions, retryAfter, retrying } from '../api/retry.ts';
import { connectionFailure } from '../api/transport.ts';
import type { ProxySettings } from '../config/settings.ts';
import { isSecure } from '../contract/address.ts';
import { type ErrorFacts, FailedError, GantryError, RateLimitedError, UnavailableError } from '../errors.ts';

export interface Upload {
  /** A signed link: whoever holds it may write, so it is sent no token and shown to nobody. */
  url: string;
  file: string;
  /** Length of the file in bytes, sent before the first of them. */
  bytes: number;
  contentType: string;
}

export interface UploadOptions extends RetryOptions {
  /** A connection on which no byte moves for so long is given up; the whole may take as long as it takes. */
  silenceMs: number;
  proxy: ProxySettings | undefined;
  onProgress: (sentBytes: number) => void;
  now: () => number;
}

/** The link has ended. Another try with it is useless; a new link is needed. */
export class LinkExpiredError extends FailedError {}

const bufferBytes = 1024 * 1024;

/**
 * Sends a file by one PUT to a signed link, from its beginning at each try. Tries again on broken connections, 408,
 * 429 and 5xx, never on another 4xx (wire §4).
 */
export async function putFile(upload: Upload, options: UploadOptions): Promise<void> {
  const url = new URL(upload.url);
  if (!isSecure(url)) throw new FailedError(`the upload address ${url.host} is not https`);
  const dispatcher = await dispatcherFor(options.proxy);
  try {
    await retrying(
      () => putOnce(url, upload, dispatcher, options),
      (error) => error.facts.retryable === true,
      options,
    );
  } finally {
    await dispatcher.destroy();
  }
}

async function putOnce(url: URL, upload: Upload, dispatcher: Dispatcher, options: UploadOptions): Promise<void> {
  const { signal, silenceMs, onProgress } = options;
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(), silenceMs);
  const file = await open(upload.file);
  try {
    const reply = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'PUT',
      headers: { 'content-type': upload.contentType, 'content-length': String(upload.bytes) },
      // undici takes any async iterable; its types know streams only.
      body: contents(file, upload.bytes, (sent) => {
        watch.refresh();
        onProgress(sent);
      }) as unknown as Readable,
      signal: AbortSignal.any([signal, silence.signal]),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const said = await reply.body.text();
    if (reply.statusCode < 200 || reply.statusCode > 299) {
      throw refusal(reply.statusCode, said, retryAfter([reply.headers['retry-after']].flat()[0], options.now()));
    }
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof GantryError) throw cause;
    throw connectionFailure(url, silence.signal.aborted ? new Error(`no byte for ${silenceMs / 1000} s`) : cause);
  } finally {
    clearTimeout(watch);
    await file.close();
  }
}

/** The file in pieces, over two buffers used in turn: one is filled while the other is on its way. */
async function* contents(file: FileHandle, bytes: number, onSent: (sent: number) => void): AsyncGenerator<Buffer> {
  const buffers = [Buffer.allocUnsafe(bufferBytes), Buffer.allocUnsafe(bufferBytes)] as const;
  let sent = 0;
  for (let turn = 0; sent < bytes; turn = 1 - turn) {
    const buffer = buffers[turn === 0 ? 0 : 1];
    const { bytesRead } = await file.read(buffer, 0, Math.min(bufferBytes, bytes - sent), sent);
    if (bytesRead === 0) throw new FailedError('the archive became shorter while it was being sent');
    yield buffer.subarray(0, bytesRead);
    sent += bytesRead;
    onSent(sent);
  }
}

/** Object storage answers in XML: `<Error><Code>AccessDenied</Code><Message>Request has expired</Message>…`. */
function refusal(status: number, body: string, retryAfterMs: number | undefined): GantryError {
  const code = body.match(/<Code>([^<]*)<\/Code>/)?.[1];
  const message = body.match(/<Message>([^<]*)<\/Message>/)?.[1];
  const said = [code, message].filter(Boolean).join(': ') || 'no reason given';
  if ((status === 403 || status === 400) && /expired/i.test(said))
    return new LinkExpiredError('the upload link has expired', { status });
  const passing: ErrorFacts = { status, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 429) return new RateLimitedError(`the storage asks to slow down (HTTP 429, ${said})`, passing);
  if (status >= 500 || status === 408)
    return new UnavailableError(`the storage failed (HTTP ${status}, ${said})`, passing);
  return new FailedError(`the storage refused the upload (HTTP ${status}, ${said})`, { status });
}

/** undici is loaded when there is something to send, not before: a plan needs none of it. */
async function dispatcherFor(proxy: ProxySettings | undefined): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  if (!proxy) return new Agent();
  return new EnvHttpProxyAgent({ httpProxy: proxy.http, httpsProxy: proxy.https, noProxy: proxy.except });
}
