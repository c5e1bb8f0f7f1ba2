/** Where secrets and files may travel: over https, or in the clear on this machine only (conventions §4). */
export function isSecure(url: URL): boolean {
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback);
}
