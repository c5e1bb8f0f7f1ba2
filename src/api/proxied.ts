import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import { exchange } from './exchange.ts';
import { connectionFailure, type Send } from './transport.ts';

/** The same request as `sendPlainly`, through the proxy of the environment; loads undici, so only then. */
export function sendThrough({ http, https, except }: ProxySettings): Send {
  return sendOver(new EnvHttpProxyAgent({ httpProxy: http, httpsProxy: https, noProxy: except }));
}

/** The same over connections that are there: for thousands of calls it takes half the time. */
export function sendOver(dispatcher: Dispatcher): Send {
  return async ({ method, url, headers, body, signal, silenceMs }) => {
    try {
      const options = {
        ...{ origin: url.origin, path: url.pathname + url.search, method: method as 'GET', headers },
        ...{ body: body ?? null, headersTimeout: silenceMs, bodyTimeout: silenceMs },
      };
      return await exchange(dispatcher, options, signal);
    } catch (cause) {
      throw signal.aborted ? signal.reason : connectionFailure(url, cause);
    }
  };
}
