import { attempt } from '../../kernel/errors.ts';

/** As in `URL.hostname`. */
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Secrets and files are sent over https, or over plain http to this machine only. */
export function isSecure(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
}

/** Whether a URL names this machine in any notation. Such requests bypass the proxy. */
export function isLoopbackHost({ hostname }: URL): boolean {
  return loopback.test(hostname) || /(^|\.)localhost\.?$|^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(hostname);
}

/** A part of a URL. It stays as it is if an escape is not valid, or of another encoding than UTF-8. */
export function decodeIfValid(part: string): string {
  return attempt(() => decodeURIComponent(part)) ?? part;
}
