import type { AgentOptions } from 'node:https';
import { onceFor } from '../../kernel/once.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { Send } from './transport.ts';

/** What reaches a URL through the proxy of the environment, if it sets one for it. Loads only what is used. */
export async function proxyAgent(settings: ProxySettings | undefined, url: URL, options?: AgentOptions) {
  if (!settings) return undefined;
  const { proxyFor } = await import('./proxy.ts');
  const proxy = proxyFor(settings, url);
  return proxy && (await import('./tunnel.ts')).tunnelAgent(proxy, url, options);
}

/** Sends directly, or through a proxy. */
export async function createSender(settings: ProxySettings | undefined): Promise<Send> {
  const { sendWithAgent, sendDirectly } = await import('./transport.ts');
  if (!settings) return sendDirectly;
  const agents = new Map<string, ReturnType<typeof proxyAgent>>();
  return async (request) => {
    const { url } = request;
    return sendWithAgent(request, await onceFor(agents, url.origin, () => proxyAgent(settings, url)));
  };
}
