import { join } from 'node:path';
import { isSecure } from '../contract/address.ts';
import type { Host } from '../contract/endpoint.ts';
import { readRegularSync } from '../disk/regular-file.ts';
import { FailedError, type GantryError, UsageError } from '../errors.ts';
import { type Environment, readVariable, type Variable } from './environment.ts';
import { type Folders, resolveFolders } from './folders.ts';

/** Where a value came from, in the words a user would look for it. */
export interface Setting {
  value: string | undefined;
  origin: string;
}

export interface Settings {
  profile: Setting;
  /** The profiles that `config.json` has. */
  profiles: string[];
  project: Setting;
  region: Setting;
  /** Origins without a trailing slash; https, or http on this machine. */
  addresses: Record<Host, Setting & { value: string }>;
  /** Set when the environment asks for a proxy. */
  proxy: ProxySettings | undefined;
  folders: Folders;
}

/** What the environment says about proxies. `api/proxy.ts` decides which one an address takes. */
export interface ProxySettings {
  /** For addresses of http and of https. */
  http: ProxyServer | undefined;
  https: ProxyServer | undefined;
  /** Hosts reached without it, as `NO_PROXY` lists them. */
  noProxy: string;
}

export interface ProxyServer {
  /** May hold a user name and a password: no message repeats it. */
  address: string;
  /** The variable it comes from. */
  variable: Variable;
}

export interface SettingFlags {
  project?: string | undefined;
  profile?: string | undefined;
  region?: string | undefined;
}

interface SettingSource {
  variables: Variable[];
  key: string;
  fallback?: string;
}

/** Every setting: the variables that give it, its name in a profile of `config.json`, and what it is without them. */
export const settingSources = {
  project: { variables: ['GANTRY_PROJECT', 'CEREBRIUM_PROJECT_ID'], key: 'project' },
  region: { variables: ['GANTRY_REGION'], key: 'region' },
  management: { variables: ['GANTRY_API_URL'], key: 'apiUrl', fallback: 'https://rest.cerebrium.ai' },
  invocation: { variables: ['GANTRY_INFERENCE_URL'], key: 'inferenceUrl', fallback: 'https://api.cerebrium.ai' },
  login: { variables: ['GANTRY_API_URL'], key: 'loginUrl', fallback: 'https://rest-api.cerebrium.ai' },
  refresh: {
    variables: ['GANTRY_API_URL'],
    key: 'refreshUrl',
    fallback: 'https://prod-cerebrium.auth.eu-west-1.amazoncognito.com',
  },
  logs: {
    variables: ['GANTRY_LOGS_URL', 'GANTRY_API_URL'],
    key: 'logsUrl',
    fallback: 'https://logstream-api.aws.us-east-1.cerebrium.ai',
  },
  status: { variables: ['GANTRY_API_URL'], key: 'statusUrl', fallback: 'https://status.cerebrium.ai' },
} as const satisfies Record<string, SettingSource>;

export type StoredKey = (typeof settingSources)[keyof typeof settingSources]['key'];

/** Hears of a setting that cannot be used. It throws, or the setting is as if it were not there (`gantry doctor`). */
export type OnInvalidSetting = (error: GantryError) => void;

/**
 * Resolves every setting: flag, then environment, then profile, then default. A missing or unreadable home is not an
 * error: in CI, everything may come from the environment.
 */
export function resolveSettings(
  env: Environment,
  flags: SettingFlags,
  refuse: OnInvalidSetting = throwError,
): Settings {
  const folders = resolveFolders(env);
  const stored = readStoredSettings(folders.config, refuse);
  const profile = resolveSetting(
    flags.profile,
    env,
    { variables: ['GANTRY_PROFILE'], key: 'profile' },
    stored,
    'default',
  );
  checkProfileName(profile, refuse);
  const profiles = asRecord(stored.profiles);
  const own = asRecord(profiles[profile.value ?? 'default']);
  const settle = (source: SettingSource, flag?: string) => resolveSetting(flag, env, source, own, source.fallback);
  const address = (source: SettingSource) => {
    const { value = '', origin } = settle(source);
    return { value: origin === 'default' ? value : checkUrl(value, origin, refuse), origin };
  };
  return {
    folders,
    proxy: readProxySettings(env, refuse),
    profile,
    profiles: Object.keys(profiles),
    project: settle(settingSources.project, flags.project),
    region: settle(settingSources.region, flags.region),
    addresses: {
      management: address(settingSources.management),
      invocation: address(settingSources.invocation),
      login: address(settingSources.login),
      refresh: address(settingSources.refresh),
      logs: address(settingSources.logs),
      status: address(settingSources.status),
    },
  };
}

function resolveSetting(
  flag: string | undefined,
  env: Environment,
  { variables, key }: SettingSource,
  stored: Record<string, unknown>,
  fallback?: string,
): Setting {
  if (flag) return { value: flag, origin: 'flag' };
  for (const name of variables) {
    const value = readVariable(env, name);
    if (value) return { value, origin: `environment (${name})` };
  }
  const value = stored[key];
  if (typeof value === 'string' && value) return { value, origin: 'profile' };
  return { value: fallback, origin: fallback ? 'default' : 'not set' };
}

function checkProfileName({ value = '', origin }: Setting, refuse: OnInvalidSetting): void {
  if (/^[A-Za-z0-9][\w.@-]*$/.test(value)) return;
  const why = `it comes from the ${origin}; letters, digits and - _ . @ make a name, a letter or digit first`;
  refuse(new UsageError(`"${value}" cannot be the name of a profile`, { why }));
}

function readProxySettings(env: Environment, refuse: OnInvalidSetting): ProxySettings | undefined {
  const all = anyProxy(env);
  const http = readProxy(env, 'HTTP_PROXY', refuse) ?? all;
  const https = readProxy(env, 'HTTPS_PROXY', refuse) ?? all;
  return http || https ? { http, https, noProxy: readVariable(env, 'NO_PROXY') ?? '' } : undefined;
}

/** `host:3128` is an address as well, as everywhere. It may hold a password: no message repeats it. */
function readProxy(env: Environment, variable: Variable, refuse: OnInvalidSetting): ProxyServer | undefined {
  const given = readVariable(env, variable);
  if (!given) return undefined;
  const address = given.includes('://') ? given : `http://${given}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return { address, variable };
  refuse(new UsageError(`${variable} is not the address of a proxy`, { fix: `${variable}=http://host:3128` }));
  return undefined;
}

/** `ALL_PROXY` often names a SOCKS proxy, which other programs need and this one cannot use: it is ignored then. */
function anyProxy(env: Environment): ProxyServer | undefined {
  return readProxy(env, 'ALL_PROXY', () => {});
}

/** The content of `config.json`; empty where there is none, or none that can be read. */
export function readStoredSettings(folder: string, refuse: OnInvalidSetting = throwError): Record<string, unknown> {
  const file = join(folder, 'config.json');
  let text: string;
  try {
    text = readRegularSync(file);
  } catch {
    return {};
  }
  try {
    return asRecord(JSON.parse(text));
  } catch (cause) {
    refuse(new FailedError(`the settings in ${file} are not valid JSON`, { fix: `mend or remove ${file}`, cause }));
    return {};
  }
}

/**
 * Checks an address that receives the bearer token: https only, except on this machine. Rejects an address with a
 * password or a query, because `config list` prints addresses.
 */
export function checkUrl(address: string, origin: string, refuse: OnInvalidSetting = throwError): string {
  const why = `it comes from the ${origin}`;
  if (!URL.canParse(address)) {
    refuse(new UsageError(`"${address}" is not an address`, { why }));
    return '';
  }
  const url = new URL(address);
  if (url.username || url.password || url.search || url.hash) {
    refuse(new UsageError(`an address of ${url.host} has more in it than a place`, { why, fix: `use ${url.origin}` }));
    return '';
  }
  if (!isSecure(url)) {
    refuse(
      new UsageError(`${url.origin} is not used: only https is, except on this machine`, {
        why: `the token would travel in the clear; the address comes from the ${origin}`,
        fix: `use https://${url.host}`,
      }),
    );
    return '';
  }
  return url.href.replace(/\/$/, '');
}

/** A file written by hand may hold anything. */
function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function throwError(error: GantryError): never {
  throw error;
}
