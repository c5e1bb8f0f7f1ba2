import type { ProxySettings } from '../config/settings.ts';
import type { Send } from './transport.ts';

/** The way to send: plain, or through the proxy of the environment. Only the one that is taken is loaded. */
export async function senderFor(proxy: ProxySettings | undefined): Promise<Send> {
  if (proxy) return (await import('./proxied.ts')).sendThrough(proxy);
  return (await import('./transport.ts')).sendPlainly;
}
