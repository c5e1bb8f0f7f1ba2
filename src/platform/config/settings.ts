import { join } from 'node:path';
import { readRegularSync } from '../../kernel/disk/regular-file.ts';
import { type Environment, readVariable, type Variable } from '../../kernel/environment.ts';
import { attempt, FailedError, UsageError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/json-text.ts';
import type { Host } from '../contract/endpoint.ts';
import { type Folders, nearestFolder, resolveFolders } from './folders.ts';
import { type ProxySettings, readProxySettings } from './proxy-settings.ts';
import {
  checked,
  checkProjectId,
  checkRegionName,
  checkTeamState,
  checkUrl,
  defaultRegion,
  type OnInvalidSetting,
  throwInvalid,
} from './setting-values.ts';

/** A value and its origin: `flag`, `environment (GANTRY_PROJECT)`, `folder (/home/me/work)`, `profile`, `default` or `not set`. */
export interface Setting {
  value: string | undefined;
  origin: string;
}

export interface Settings {
  profile: ProfileSetting;
  profiles: string[];
  project: Setting;
  region: Setting;
  /** URLs without a trailing slash; https, or http on this machine. */
  addresses: Record<Host, Setting & { value: string }>;
  /** `on` or `off`. */
  packingCache: Setting;
  proxy: ProxySettings | undefined;
  folders: Folders;
  /** Whether the archives of successful deploys are kept, for `gantry rollback`: `on` or `off`. */
  keepArchives: Setting;
  /** `volume:/folder` that machines share, on the volume of `region`; `off` is as unset. */
  teamState: Setting & { region: string };
}

type ProfileSetting = Setting & { value: string };

export interface SettingFlags {
  project?: string | undefined;
  profile?: string | undefined;
  region?: string | undefined;
  /** The working directory, which may be bound to a profile. */
  folder?: string | undefined;
  cwd?: string | undefined;
  local?: LocalSettings | undefined;
  /** Whether `--local` was typed, also for a command that has no emulator itself. */
  isLocal?: boolean | undefined;
  dryRun?: boolean | undefined;
}

interface SettingSource {
  variables: Variable[];
  key: string;
  fallback?: string;
}

/** Every setting: its variables, its key in a profile of `config.json`, and its default. */
export const settingSources = {
  project: { variables: ['GANTRY_PROJECT', 'CEREBRIUM_PROJECT_ID'], key: 'project' },
  region: { variables: ['GANTRY_REGION'], key: 'region' },
  management: { variables: ['GANTRY_API_URL', 'REST_API_URL'], key: 'apiUrl', fallback: 'https://rest.cerebrium.ai' },
  invocation: { variables: ['GANTRY_INFERENCE_URL'], key: 'inferenceUrl', fallback: 'https://api.cerebrium.ai' },
  login: { variables: ['GANTRY_API_URL'], key: 'loginUrl', fallback: 'https://rest-api.cerebrium.ai' },
  refresh: {
    variables: ['GANTRY_API_URL'],
    key: 'refreshUrl',
    fallback: 'https://prod-cerebrium.auth.eu-west-1.amazoncognito.com',
  },
  logs: {
    variables: ['GANTRY_LOGS_URL', 'GANTRY_API_URL', 'LOGSTREAM_URL', 'REST_API_URL'],
    key: 'logsUrl',
    fallback: 'https://logstream-api.aws.us-east-1.cerebrium.ai',
  },
  status: { variables: ['GANTRY_API_URL'], key: 'statusUrl', fallback: 'https://status.cerebrium.ai' },
  packingCache: { variables: ['GANTRY_PACKING_CACHE'], key: 'packingCache', fallback: 'on' },
  keepArchives: { variables: ['GANTRY_KEEP_ARCHIVES'], key: 'keepArchives', fallback: 'on' },
  teamState: { variables: ['GANTRY_TEAM_STATE'], key: 'teamState' },
} as const satisfies Record<string, SettingSource>;

const hosts = ['management', 'invocation', 'login', 'refresh', 'logs', 'status'] as const;

export type StoredKey = (typeof settingSources)[keyof typeof settingSources]['key'];

/** Flag, environment, profile, default. Without a home folder it is no error: pipelines use the environment. */
export function resolveSettings(
  env: Environment,
  flags: SettingFlags,
  onInvalid: OnInvalidSetting = throwInvalid,
): Settings {
  const folders = resolveFolders(env);
  const stored = readStoredSettings(folders.config, onInvalid);
  const profile = resolveProfile(flags, env, stored);
  checkProfileName(profile, onInvalid);
  const profiles = asRecord(stored.profiles);
  const profileSettings = asRecord(profiles[profile.value]);
  const resolve = (source: SettingSource, flag?: string, from = env) =>
    resolveSetting(flag, from, source, profileSettings, source.fallback, flags.local);
  const ownAddresses = withOfficialAddresses(env);
  const address = (source: SettingSource) => {
    const { value = '', origin } = resolve(source, undefined, ownAddresses);
    return {
      value: origin === 'default' ? value : (checked(value, (text) => checkUrl(text, origin), onInvalid) ?? ''),
      origin,
    };
  };
  // In other programs, `-p` is another flag: `cp -p FILE`.
  const project = checked(flags.project, checkProjectId, onInvalid) ?? flags.project;
  const region = resolve(settingSources.region, flags.region);
  const { value: folder, origin } = resolve(settingSources.teamState);
  const teamState = checked(folder, (text) => checkTeamState(text, origin), onInvalid);
  return {
    folders,
    proxy: readProxySettings(env, onInvalid),
    profile,
    profiles: Object.keys(profiles),
    project: resolve(settingSources.project, project),
    region: { ...region, value: checked(region.value, (word) => checkRegionName(word, region.origin), onInvalid) },
    packingCache: resolve(settingSources.packingCache),
    keepArchives: resolve(settingSources.keepArchives),
    teamState: {
      value: teamState,
      origin: teamState ? origin : 'not set',
      // Not that of a flag: a deploy to another region has the same team.
      region: resolve(settingSources.region).value ?? defaultRegion,
    },
    addresses: Object.fromEntries(hosts.map((host) => [host, address(settingSources[host])])) as Settings['addresses'],
  };
}

/** Flag, environment, the nearest folder that is bound to one, the one selected by `config profiles use`, default. */
function resolveProfile(flags: SettingFlags, env: Environment, stored: Record<string, unknown>): ProfileSetting {
  const source: SettingSource = { variables: ['GANTRY_PROFILE'], key: 'profile' };
  const chosen = resolveSetting(flags.profile, env, source, {});
  if (chosen.value !== undefined) return { value: chosen.value, origin: chosen.origin };
  const bound = asRecord(stored.folders);
  const folder = flags.folder === undefined ? undefined : nearestFolder(bound, flags.folder);
  if (folder !== undefined) return { value: String(bound[folder]), origin: `folder (${folder})` };
  const { value = 'default', origin } = resolveSetting(undefined, {}, source, stored, 'default');
  return { value, origin };
}

/** Only with the official client's token: the names are common, and may be those of another program. */
function withOfficialAddresses(env: Environment): Environment {
  const { REST_API_URL, LOGSTREAM_URL, ...own } = env;
  const hasItsToken = !readVariable(env, 'GANTRY_TOKEN') && readVariable(env, 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN');
  return hasItsToken ? { ...own, REST_API_URL, LOGSTREAM_URL: LOGSTREAM_URL?.replace(/^ws/, 'http') } : own;
}

function resolveSetting(
  flag: string | undefined,
  env: Environment,
  { variables, key }: SettingSource,
  stored: Record<string, unknown>,
  fallback?: string,
  local?: LocalSettings,
): Setting {
  if (flag) return { value: flag, origin: 'flag' };
  for (const name of variables) {
    const value = readVariable(env, name);
    if (value) return { value, origin: local?.variables[name] === value ? local.origin : `environment (${name})` };
  }
  const value = stored[key];
  if (typeof value === 'string' && value) return { value, origin: 'profile' };
  return { value: fallback, origin: fallback ? 'default' : 'not set' };
}

function checkProfileName({ value, origin }: ProfileSetting, onInvalid: OnInvalidSetting): void {
  if (/^[A-Za-z0-9][\w.@-]*$/.test(value)) return;
  const source = origin === 'flag' ? '' : `it comes from the ${origin}; `;
  const why = `${source}names have letters, digits and - _ . @, and begin with a letter or digit`;
  onInvalid(new UsageError(`invalid profile name "${value}"`, { why }));
}

/** The content of `config.json`; empty if it is missing or unreadable. */
export function readStoredSettings(
  folder: string,
  onInvalid: OnInvalidSetting = throwInvalid,
): Record<string, unknown> {
  const file = join(folder, 'config.json');
  const text = attempt(() => readRegularSync(file)) ?? '{}';
  try {
    return asRecord(JSON.parse(text));
  } catch (cause) {
    onInvalid(
      new FailedError(`the settings in ${file} are not valid JSON`, { fix: `correct or remove ${file}`, cause }),
    );
    return {};
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Variables that replace those of the environment: they lead to an emulator that belongs to this folder. */
export interface LocalSettings {
  /** In the words of a target: `emulator of this folder`, `emulator on port 4100`. */
  name: string;
  variables: Record<string, string>;
  /** What leads to it from any shell; empty if only its variables do. */
  flags: string[];
  /** `flag`, or `folder (/home/me/app)`. */
  origin: string;
  /** The profile whose login is not used, because the folder remembers the emulator. */
  unused?: string | undefined;
  isStarted: boolean;
}
