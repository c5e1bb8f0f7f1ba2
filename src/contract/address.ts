/** Hosts that are this machine, as `URL.hostname` writes them. */
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Secrets and files are sent over https, or over plain http to this machine only. */
export function isSecure(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
}

/** Whether a request to this address stays on this machine, whatever its name is. It never goes through a proxy. */
export function isLoopbackHost({ hostname }: URL): boolean {
  return loopback.test(hostname) || /(^|\.)localhost\.?$|^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(hostname);
}
