import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ProxySettings } from '../config/settings.ts';
import { exchange } from './exchange.ts';
import { connectionFailure, type Message, type Opened, type Send } from './transport.ts';
import { proxyAgent } from './undici.ts';

/** The same request as `sendPlainly`, through the proxy of the environment; loads undici, so only then. */
export async function sendThrough(proxy: ProxySettings): Promise<Send> {
  return sendOver(await proxyAgent(proxy));
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

/** The same with a body that is read as it leaves, and an answer whose body is still to come. */
export async function openThrough(proxy: ProxySettings, message: Message): Promise<Opened> {
  const { method, url, headers, body, signal } = message;
  // The watch over silence is the caller's: a call may take hours before its answer begins.
  const dispatcher = await proxyAgent(proxy, { headersTimeout: 0, bodyTimeout: 0 });
  signal.addEventListener('abort', () => void dispatcher.destroy());
  const reply = await dispatcher.request({
    ...{ origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod },
    // It says by itself that a body comes in chunks.
    headers: Object.entries(headers)
      .filter(([name]) => name !== 'transfer-encoding')
      .flat(),
    ...{ body: (body ?? null) as Readable | null, signal },
  });
  return { status: reply.statusCode, statusText: reply.statusText, headers: reply.headers, body: reply.body };
}
