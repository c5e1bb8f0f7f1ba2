import { EnvHttpProxyAgent, request } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import { connectionFailure, type Send } from './transport.ts';

/** The same request as `sendPlainly`, through the proxy of the environment; loads undici, so only then. */
export function sendThrough({ http, https, except }: ProxySettings): Send {
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: http, httpsProxy: https, noProxy: except });
  return async ({ method, url, headers, body, signal, silenceMs }) => {
    try {
      const reply = await request(url, {
        method: method as 'GET',
        headers,
        body: body ?? null,
        signal,
        dispatcher,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      });
      return { status: reply.statusCode, headers: reply.headers, body: await reply.body.text() };
    } catch (cause) {
      throw signal.aborted ? signal.reason : connectionFailure(url, cause);
    }
  };
}
