import type { IncomingMessage } from 'node:http';
import { jsonReply, type ServerReply } from './reply.ts';

/** Where an app is called: the one part of the platform that a web page of the user's own may be allowed to reach. */
const appPath = '/v4/';

/**
 * Decides which requests are answered at all. The emulator acts for its owner, so neither a web page that points its
 * own name at this machine nor a page of another origin may use it. Programs send no `Origin` and are not affected.
 */
export class OriginPolicy {
  readonly #hosts: readonly string[];
  readonly #allowed: ReadonlySet<string>;

  constructor(port: number, allowed: readonly string[]) {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    // Browsers leave out the default port.
    this.#hosts = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
    this.#allowed = new Set(allowed);
  }

  /** The answer to a request that must not be carried out; undefined when it may. */
  refusal({ url = '', method, headers }: IncomingMessage): ServerReply | undefined {
    const host = headers.host?.toLowerCase() ?? '';
    // An absolute request target takes precedence over the Host header (RFC 9112, 3.2.2).
    if (![host, absoluteHost(url) ?? host].every((name) => this.#hosts.includes(name))) {
      return jsonReply(
        { message: `this emulator answers requests to ${this.#hosts[0]} only, not to ${host || 'no host'}` },
        421,
      );
    }
    if (this.#isAllowed(url, headers.origin)) return undefined;
    if (headers.origin !== undefined && !this.#isOwn(headers.origin)) {
      return jsonReply({ message: `requests of the web page ${headers.origin} are refused; ${hint}` }, 403);
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return jsonReply({ message: `requests of other web pages are refused; ${hint}` }, 403);
    }
    if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
      return jsonReply({ message: `CORS preflight requests are refused; ${hint}` }, 403);
    }
    return undefined;
  }

  /** Headers that let an allowed web page read the answer. */
  corsHeaders({ url = '', headers }: IncomingMessage): Record<string, string> {
    const { origin } = headers;
    if (origin === undefined || !this.#isAllowed(url, origin)) return {};
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'x-request-id',
      vary: 'Origin',
    };
  }

  /** The answer to a CORS preflight of an allowed web page; undefined when the request is something else. */
  preflight({ url = '', method, headers }: IncomingMessage): ServerReply | undefined {
    const asked = headers['access-control-request-method'];
    if (method !== 'OPTIONS' || asked === undefined || !this.#isAllowed(url, headers.origin)) return undefined;
    const wanted = headers['access-control-request-headers'];
    return {
      status: 204,
      headers: {
        'access-control-allow-methods': asked,
        ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
        'access-control-allow-private-network': 'true',
        'access-control-max-age': '600',
      },
      body: '',
    };
  }

  #isOwn(origin: string): boolean {
    return this.#hosts.some((host) => origin === `http://${host}`);
  }

  #isAllowed(url: string, origin: string | undefined): boolean {
    return origin !== undefined && this.#allowed.has(origin) && isAppPath(url);
  }
}

const hint = 'start the emulator with --allow-origin to let a page call apps';

/** Of the path as it will be routed: `/v4/../v2/` is not below an app. */
function isAppPath(target: string): boolean {
  const address = `http://localhost${target}`;
  return target.startsWith('/') && URL.canParse(address) && new URL(address).pathname.startsWith(appPath);
}

/** The host of `http://host/path` as a request target; undefined for a path. */
function absoluteHost(target: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return undefined;
  return URL.canParse(target) ? new URL(target).host : '';
}
