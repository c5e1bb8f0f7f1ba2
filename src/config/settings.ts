import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSecure } from '../contract/address.ts';
import type { Host } from '../contract/endpoint.ts';
import { FailedError, UsageError } from '../errors.ts';
import { type Environment, read, type Variable } from './environment.ts';
import { type Folders, foldersOf } from './folders.ts';

/** Where a value came from, in the words a user would look for it. */
export interface Setting {
  value: string | undefined;
  origin: string;
}

export interface Settings {
  profile: Setting;
  project: Setting;
  region: Setting;
  /** Origins without a trailing slash; https, or http on this machine. */
  addresses: Record<Host, Setting & { value: string }>;
  /** Set when the environment asks for a proxy. */
  proxy: ProxySettings | undefined;
  folders: Folders;
}

export interface ProxySettings {
  http: string;
  https: string;
  /** Hosts reached without it, as `NO_PROXY` lists them. */
  except: string;
}

export interface SettingFlags {
  project?: string | undefined;
  profile?: string | undefined;
  region?: string | undefined;
}

interface Source {
  variables: Variable[];
  key: string;
  fallback?: string;
}

const sources = {
  project: { variables: ['GANTRY_PROJECT', 'CEREBRIUM_PROJECT_ID'], key: 'project' },
  region: { variables: ['GANTRY_REGION'], key: 'region' },
  management: { variables: ['GANTRY_API_URL'], key: 'apiUrl', fallback: 'https://rest.cerebrium.ai' },
  invocation: { variables: ['GANTRY_INFERENCE_URL'], key: 'inferenceUrl', fallback: 'https://api.cerebrium.ai' },
  login: { variables: ['GANTRY_API_URL'], key: 'loginUrl', fallback: 'https://rest-api.cerebrium.ai' },
  logs: {
    variables: ['GANTRY_LOGS_URL'],
    key: 'logsUrl',
    fallback: 'https://logstream-api.aws.us-east-1.cerebrium.ai',
  },
  status: { variables: ['GANTRY_API_URL'], key: 'statusUrl', fallback: 'https://status.cerebrium.ai' },
} as const satisfies Record<string, Source>;

/**
 * Settles every setting: flag, then environment, then the profile's file, then the default (conventions §4).
 * A missing or unreadable home is no error: a pipeline has everything in its environment.
 */
export function resolveSettings(env: Environment, flags: SettingFlags): Settings {
  const folders = foldersOf(env);
  const stored = readStored(folders.config);
  const profile = pick(flags.profile, env, { variables: ['GANTRY_PROFILE'], key: 'profile' }, stored, 'default');
  const profiles = (stored.profiles ?? {}) as Record<string, Record<string, unknown>>;
  const own = profiles[profile.value ?? 'default'] ?? {};
  const settle = (source: Source, flag?: string) => pick(flag, env, source, own, source.fallback);
  const address = (source: Source) => {
    const setting = settle(source);
    return { ...setting, value: safeOrigin(setting.value ?? '', setting.origin) };
  };
  return {
    folders,
    proxy: proxyOf(env),
    profile,
    project: settle(sources.project, flags.project),
    region: settle(sources.region, flags.region),
    addresses: {
      management: address(sources.management),
      invocation: address(sources.invocation),
      login: address(sources.login),
      logs: address(sources.logs),
      status: address(sources.status),
    },
  };
}

function pick(
  flag: string | undefined,
  env: Environment,
  { variables, key }: Source,
  stored: Record<string, unknown>,
  fallback?: string,
): Setting {
  if (flag) return { value: flag, origin: 'flag' };
  for (const name of variables) {
    const value = read(env, name);
    if (value) return { value, origin: `environment (${name})` };
  }
  const value = stored[key];
  if (typeof value === 'string' && value) return { value, origin: 'profile' };
  return { value: fallback, origin: fallback ? 'default' : 'not set' };
}

function proxyOf(env: Environment): ProxySettings | undefined {
  const http = read(env, 'HTTP_PROXY') ?? '';
  const https = read(env, 'HTTPS_PROXY') ?? '';
  return http || https ? { http, https, except: read(env, 'NO_PROXY') ?? '' } : undefined;
}

function readStored(folder: string): Record<string, unknown> {
  const file = join(folder, 'config.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new FailedError(`the settings in ${file} are not valid JSON`, { fix: `mend or remove ${file}`, cause });
  }
}

/** The bearer token travels to these origins: https only, except to this machine (conventions §4). */
function safeOrigin(address: string, origin: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new UsageError(`"${address}" is not an address`, { why: `it comes from the ${origin}` });
  }
  if (!isSecure(url)) {
    throw new UsageError(`${url.origin} is not used: only https is, except on this machine`, {
      why: `the token would travel in the clear; the address comes from the ${origin}`,
      fix: `use https://${url.host}`,
    });
  }
  return url.href.replace(/\/$/, '');
}
