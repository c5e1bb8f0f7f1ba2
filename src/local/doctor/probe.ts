import { type GantryError, UnavailableError } from '../../kernel/errors.ts';
import { version } from '../../kernel/version.ts';
import type { HttpReply } from '../../platform/api/http-reply.ts';
import type { Send } from '../../platform/api/transport.ts';
import type { ProxySettings } from '../../platform/config/proxy-settings.ts';
import type { Context } from '../../platform/context.ts';
import { timeoutSignal } from '../../platform/waiting/index.ts';

/** Maximum time to wait for one URL. */
const maxTimeoutMs = 10_000;

/** A reply or an error of one request. */
export interface ProbeResult {
  reply?: HttpReply;
  error?: GantryError;
  ms: number;
  /** How far the local clock is ahead of the server's, if it sent its time. */
  aheadMs?: number;
}

/** Creates a function that makes one request without retries. */
export function createProbe(
  { signal, silenceMs, now, elapsed }: Context,
  proxy: ProxySettings | undefined,
  send: Send,
) {
  const limit = Math.min(maxTimeoutMs, silenceMs);
  return async (method: string, address: string, token?: string): Promise<ProbeResult> => {
    const url = new URL(address);
    const headers: Record<string, string> = { 'user-agent': `gantry/${version}`, accept: '*/*' };
    if (token) headers.authorization = `Bearer ${token}`;
    const until = timeoutSignal(limit, () => timeoutError(url, limit), signal);
    const [started, startedAt] = [elapsed(), now()];
    try {
      const reply = await send({ method, url, headers, signal: until, silenceMs: limit });
      const ms = elapsed() - started;
      return { reply, ms, ...measureClock(reply, startedAt + ms / 2) };
    } catch (cause) {
      signal.throwIfAborted();
      return { error: withFix(cause, proxy), ms: elapsed() - started };
    }
  };
}

/** The `Date` header has whole seconds, so differences below one second do not count. */
function measureClock({ headers }: HttpReply, here: number): Pick<ProbeResult, 'aheadMs'> {
  const there = Date.parse(String(headers.date));
  if (Number.isNaN(there)) return {};
  const off = here - there - 500;
  return { aheadMs: Math.abs(off) <= 500 ? 0 : Math.round(off) };
}

function timeoutError(url: URL, limit: number): UnavailableError {
  return new UnavailableError(`cannot connect to ${url.host}: no response within ${limit / 1000} s`);
}

function withFix(cause: unknown, proxy: ProxySettings | undefined): GantryError {
  if (!(cause instanceof UnavailableError)) throw cause;
  if (cause.facts.fix) return cause;
  const fix = /: TLS: /.test(cause.message)
    ? 'if a proxy inspects TLS, set SSL_CERT_FILE=FILE to its certificate'
    : proxy
      ? 'check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, then the network'
      : 'check the network, or set HTTPS_PROXY if a proxy is required';
  return new UnavailableError(cause.message, { fix, cause });
}
