import { type Environment, readVariable, type Variable } from '../../kernel/environment.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { OnInvalidSetting } from './setting-values.ts';

/** Proxies from the environment. `api/proxy.ts` picks the one for a URL. */
export interface ProxySettings {
  http: ProxyServer | undefined;
  https: ProxyServer | undefined;
  noProxy: string;
}

export interface ProxyServer {
  /** May contain a password: never printed. */
  address: string;
  variable: Variable;
}

export function readProxySettings(env: Environment, onInvalid: OnInvalidSetting): ProxySettings | undefined {
  // SOCKS proxies are ignored: ALL_PROXY often sets them for other programs.
  const all = readProxy(env, 'ALL_PROXY', () => {});
  const http = readProxy(env, 'HTTP_PROXY', onInvalid) ?? all;
  const https = readProxy(env, 'HTTPS_PROXY', onInvalid) ?? all;
  return http || https ? { http, https, noProxy: readVariable(env, 'NO_PROXY') ?? '' } : undefined;
}

/** Accepts `host:3128` too. Errors do not repeat the value, as it may contain a password. */
function readProxy(env: Environment, variable: Variable, onInvalid: OnInvalidSetting): ProxyServer | undefined {
  const given = readVariable(env, variable);
  if (!given) return undefined;
  const address = given.includes('://') ? given : `http://${given}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return { address, variable };
  onInvalid(new UsageError(`${variable} is not a valid proxy URL`, { fix: `${variable}=http://host:3128` }));
  return undefined;
}
