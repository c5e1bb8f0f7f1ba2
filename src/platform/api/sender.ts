import type { Agent } from 'node:http';
import { onceFor } from '../../kernel/once.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { Send } from './transport.ts';

/** Sends directly, or through a proxy if the environment sets one. Loads only what is used. */
export async function createSender(settings: ProxySettings | undefined): Promise<Send> {
  const { sendWithAgent, sendDirectly } = await import('./transport.ts');
  if (!settings) return sendDirectly;
  const [{ proxyFor }, { tunnelAgent }] = await Promise.all([import('./proxy.ts'), import('./tunnel.ts')]);
  const agents = new Map<string, Agent>();
  const agentFor = (url: URL): Agent | undefined => {
    const proxy = proxyFor(settings, url);
    if (!proxy) return undefined;
    const key = `${url.protocol} ${proxy.address}`;
    return onceFor(agents, key, () => tunnelAgent(proxy, url));
  };
  return async (request) => sendWithAgent(request, agentFor(request.url));
}
