import type { IncomingMessage } from 'node:http';
import { refuse } from './reply.ts';

/**
 * The URL of a request. Only its path and query count: `//x`, `*` and an absolute target must not turn into another
 * host, and what cannot be parsed is refused with 400.
 */
export function targetOf({ url = '' }: IncomingMessage, base: string): URL {
  if (url.startsWith('/')) return parse(base + url, url);
  if (url === '*') return new URL(`${base}/*`);
  const { pathname, search } = parse(url, url);
  return parse(`${base}${pathname.startsWith('/') ? '' : '/'}${pathname}${search}`, url);
}

function parse(address: string, given: string): URL {
  return URL.canParse(address) ? new URL(address) : refuse(400, `the request target is not valid: ${given}`);
}
