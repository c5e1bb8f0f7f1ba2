import type { IncomingMessage } from 'node:http';
import { defined } from '../../kernel/json-text.ts';
import { jsonReply, type ServerReply } from './reply.ts';

/** Calls of apps: the only paths that an allowed web page may request. */
const appPath = '/v4/';

/**
 * Refuses requests of web pages of other origins, and of pages whose host name points to this machine (DNS rebinding):
 * the emulator acts for its owner. Programs send no `Origin` header and are not affected.
 */
export class OriginPolicy {
  readonly #hosts: readonly string[];
  readonly #allowed: ReadonlySet<string>;

  constructor(port: number, allowed: readonly string[]) {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    // Browsers omit the default port.
    this.#hosts = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
    this.#allowed = new Set(allowed);
  }

  /** The reply to a request that is not allowed; undefined if it is. */
  refusal({ url = '', method, headers }: IncomingMessage): ServerReply | undefined {
    const host = headers.host?.toLowerCase() ?? '';
    if (!this.#hosts.includes(host)) {
      return jsonReply(
        { message: `this emulator only accepts requests to ${this.#hosts[0]}, not to ${host || 'no host'}` },
        421,
      );
    }
    if (this.#isAllowed({ url, headers })) return undefined;
    const { origin, 'sec-fetch-site': site = 'none' } = headers;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    const refusals: [applies: boolean, what: string][] = [
      [origin !== undefined && !this.#isOwn(origin), `requests from the web page ${origin}`],
      [!['same-origin', 'none'].includes(`${site}`), 'requests from other web pages'],
      [isPreflight, 'CORS preflight requests'],
    ];
    const refused = refusals.find(([applies]) => applies);
    return refused && jsonReply({ message: `${refused[1]} are not allowed; ${hint}` }, 403);
  }

  /** Headers that let an allowed web page read the reply. */
  corsHeaders({ url = '', headers }: IncomingMessage): Record<string, string> {
    const { origin } = headers;
    if (origin === undefined || !this.#isAllowed({ url, headers })) return {};
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'x-request-id',
      vary: 'Origin',
    };
  }

  /** The reply to a CORS preflight of an allowed web page; undefined for other requests. */
  preflight({ url = '', method, headers }: IncomingMessage): ServerReply | undefined {
    const requestedMethod = headers['access-control-request-method'];
    if (method !== 'OPTIONS' || requestedMethod === undefined || !this.#isAllowed({ url, headers })) return undefined;
    const requestedHeaders = headers['access-control-request-headers'];
    return {
      status: 204,
      headers: {
        'access-control-allow-methods': requestedMethod,
        ...defined({ 'access-control-allow-headers': requestedHeaders }),
        'access-control-allow-private-network': 'true',
        'access-control-max-age': '600',
      },
      body: '',
    };
  }

  #isOwn(origin: string): boolean {
    return this.#hosts.some((name) => origin === `http://${name}`);
  }

  #isAllowed({ url = '', headers: { origin } }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
    return origin !== undefined && this.#allowed.has(origin) && isAppPath(url);
  }
}

const hint = 'start the emulator with --allow-origin to let a page call apps';

/** Uses the normalized path: `/v4/../v2/` does not belong to an app. */
function isAppPath(target: string): boolean {
  const address = `http://localhost${target}`;
  return target.startsWith('/') && URL.canParse(address) && new URL(address).pathname.startsWith(appPath);
}
