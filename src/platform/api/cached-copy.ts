import { UnavailableError } from '../../kernel/errors.ts';
import type { HttpReply } from './http-reply.ts';

/** A reply of a cache: what it shows was true at some other time. */
export class CachedCopyError extends UnavailableError {
  constructor(host: string, sign: string, status: number) {
    super(`the reply of ${host} is a copy that a cache kept`, {
      why: `it says so (${sign}), and what is true by now may differ`,
      status,
      retryable: true,
    });
  }
}

/** Asks caches for what is true now. */
export const askAnew = { 'cache-control': 'no-cache' };

/** `X-Cache: HIT` and its relatives. */
const names = ['x-cache', 'x-cache-status', 'cf-cache-status', 'cache-status'];
const kept = /(^|[\s,_])(hit|stale|updating)\b/i;

/** The header that says that a cache kept a reply (RFC 9111, 5.1, and RFC 9211); undefined if none does. */
export function signOfCopy(headers: HttpReply['headers']): string | undefined {
  const name = Number(headers.age ?? 0) > 0 ? 'age' : names.find((each) => kept.test(String(headers[each] ?? '')));
  return name && `${name}: ${headers[name]}`;
}
