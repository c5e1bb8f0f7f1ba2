import { type Environment, readVariable, type Variable } from '../../kernel/environment.ts';
import { nullable, type ObjectOf, text } from '../../kernel/shape.ts';
import { words } from '../../kernel/words.ts';
import { defaultRegion } from './setting-values.ts';
import { type Setting, type Settings, type StoredKey, settingSources } from './settings.ts';
import { type Target, targetOrigin, targetText } from './target.ts';

export const listedSettingFields = {
  name: text('setting name'),
  value: nullable(text('value, or null')),
  origin: text('flag, environment (variable), folder (path), profile, default, or not set'),
};
export type ListedSetting = ObjectOf<typeof listedSettingFields>;

/** Settings that `config set` accepts, with their keys in a profile: `api-url` is `apiUrl`. */
export const storableSettings: ReadonlyMap<string, StoredKey> = new Map(
  Object.values(settingSources).map(({ key }) => [key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), key]),
);

/** Settings that `config get` accepts, in the order of `config list`. */
export const readableSettings: readonly string[] = [
  'target',
  'profile',
  ...storableSettings.keys(),
  ...words('https-proxy http-proxy no-proxy config-folder state-folder cache-folder'),
];

export function describeTarget(target: Target): ListedSetting {
  return entry('target', { value: targetText(target), origin: targetOrigin(target) });
}

/** Lists every setting that is in force, with its origin; a target knows the project of the token. Contains no token, and no password of the proxy. */
export function describeSettings(settings: Settings, env: Environment, target?: Target): ListedSetting[] {
  const { profile, region: given, addresses, packingCache, keepArchives, teamState, proxy, folders } = settings;
  const project = target?.project ?? settings.project;
  const region = given.value === undefined ? { value: defaultRegion, origin: 'default' } : given;
  const resolved: Record<string, Setting> = { project, region, ...addresses, packingCache, keepArchives, teamState };
  const names = [...storableSettings.keys()];
  return [
    entry('profile', profile),
    ...Object.keys(settingSources).map((source, at) => entry(names[at] ?? source, resolved[source])),
    ...(['https', 'http'] as const).map((scheme) =>
      entry(`${scheme}-proxy`, {
        value: withoutCredentials(proxy?.[scheme]?.address),
        origin: originOf(env, [`${scheme.toUpperCase()}_PROXY` as Variable, 'ALL_PROXY']),
      }),
    ),
    entry('no-proxy', { value: proxy?.noProxy, origin: originOf(env, ['NO_PROXY']) }),
    ...Object.entries(folders).map(([name, value]) => {
      const origin = originOf(env, folderVariables[name as keyof typeof folders], 'default');
      return entry(`${name}-folder`, { value, origin });
    }),
  ];
}

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
