import { setFlagsFromString } from 'node:v8';
import type { Agent, EnvHttpProxyAgent } from 'undici';
import type { ProxySettings } from '../config/settings.ts';

/**
 * Loads undici, where it earns its keep. Its parser is WebAssembly: as V8 compiles it first it is fast enough, and the
 * end of the process would wait for the better version that V8 compiles beside.
 */
export function loadUndici(): Promise<typeof import('undici')> {
  setFlagsFromString('--liftoff-only');
  return import('undici');
}

/** Connections through the proxy of the environment, and past it to the hosts that are excepted. */
export async function proxyAgent(
  { http, https, except }: ProxySettings,
  options: Agent.Options = {},
): Promise<EnvHttpProxyAgent> {
  const { EnvHttpProxyAgent } = await loadUndici();
  return new EnvHttpProxyAgent({ ...options, httpProxy: http, httpsProxy: https, noProxy: except });
}
