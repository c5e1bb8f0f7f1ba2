import { type Environment, readVariable, type Variable } from './environment.ts';
import { type Setting, type Settings, type StoredKey, settingSources } from './settings.ts';

/** A setting under the name that the command line has for it. */
export interface ListedSetting {
  name: string;
  /** Null when it is not set. */
  value: string | null;
  origin: string;
}

/** The names that `config set` takes, and what they are called in a profile: `api-url` is `apiUrl`. */
export const storableSettings: ReadonlyMap<string, StoredKey> = new Map(
  Object.values(settingSources).map(({ key }) => [key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), key]),
);

/** Every setting with its origin. Leaves out tokens, and the password in the proxy's address. */
export function describeSettings(settings: Settings, env: Environment): ListedSetting[] {
  const { profile, project, region, addresses, proxy, folders } = settings;
  const settled: Record<string, Setting> = { project, region, ...addresses };
  const names = [...storableSettings.keys()];
  return [
    entry('profile', profile),
    ...Object.keys(settingSources).map((source, at) => entry(names[at] ?? source, settled[source])),
    entry('https-proxy', {
      value: withoutCredentials(proxy?.https?.address),
      origin: originOf(env, ['HTTPS_PROXY', 'ALL_PROXY']),
    }),
    entry('http-proxy', {
      value: withoutCredentials(proxy?.http?.address),
      origin: originOf(env, ['HTTP_PROXY', 'ALL_PROXY']),
    }),
    entry('no-proxy', { value: proxy?.noProxy, origin: originOf(env, ['NO_PROXY']) }),
    ...Object.entries(folders).map(([name, value]) =>
      entry(`${name}-folder`, {
        value,
        origin: originOf(env, folderVariables[name as keyof typeof folders], 'default'),
      }),
    ),
  ];
}

/** A proxy's address as it may be shown. */
export function withoutCredentials(address: string | undefined): string | undefined {
  return address && new URL(address).origin;
}

const folderVariables: Record<keyof Settings['folders'], Variable[]> = {
  config: ['GANTRY_CONFIG_DIR', 'XDG_CONFIG_HOME', 'APPDATA'],
  state: ['GANTRY_CONFIG_DIR', 'XDG_STATE_HOME', 'LOCALAPPDATA'],
  cache: ['GANTRY_CONFIG_DIR', 'XDG_CACHE_HOME', 'LOCALAPPDATA'],
};

function originOf(env: Environment, variables: Variable[], otherwise = 'not set'): string {
  const name = variables.find((variable) => readVariable(env, variable));
  return name ? `environment (${name})` : otherwise;
}

function entry(name: string, { value, origin }: Setting = { value: undefined, origin: 'not set' }): ListedSetting {
  return { name, value: value || null, origin: value ? origin : 'not set' };
}
