import { regions } from '../../app/hardware.ts';
import { undocumentedRegion } from '../../app/toml/suggestions.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { readVariable } from '../../kernel/environment.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { forgetFolderEmulator, readFolderTarget } from '../../platform/config/folder-target.ts';
import { realFolder } from '../../platform/config/folders.ts';
import { checkProfile, profileNames, profilesWithToken } from '../../platform/config/profiles.ts';
import {
  describeSettings,
  describeTarget,
  type ListedSetting,
  readableSettings,
  storableSettings,
} from '../../platform/config/setting-list.ts';
import { checkProjectId, checkTeamState, checkUrl, looksLikeRegion } from '../../platform/config/setting-values.ts';
import { readStoredSettings, type Settings, type StoredKey } from '../../platform/config/settings.ts';
import {
  bindFolder,
  removeProfile,
  storeSettings,
  updateStoredFile,
  useProfile,
} from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';

export function listProfiles({ settings }: Pick<Context, 'settings'>) {
  const withToken = profilesWithToken(settings);
  const { profiles = {}, folders = {} } = readStoredSettings(settings.folders.config) as {
    profiles?: Record<string, { project?: string }>;
    folders?: Record<string, string>;
  };
  return profileNames(settings).map((name) => ({
    name,
    current: name === settings.profile.value,
    project: profiles[name]?.project ?? null,
    hasToken: withToken.includes(name),
    folders: Object.keys(folders).filter((folder) => folders[folder] === name),
  }));
}

/** Switches to another profile. Throws NotFoundError if it does not exist. */
export async function switchProfile({ settings, progress }: Pick<Context, 'settings' | 'progress'>, name: string) {
  checkProfileExists(settings, name);
  await useProfile(settings, name);
  const { value, origin } = settings.profile;
  if (origin.startsWith('environment') && value !== name) {
    progress.warn(`GANTRY_PROFILE takes precedence while it is set: the profile in use is ${value}`);
  }
  if (origin.startsWith('folder') && value !== name) {
    progress.warn(
      sentence`this folder uses profile ${value}, from the ${origin}; ${gantryCommand`config profiles use ${name} --here`} changes that`,
    );
  }
  return { profile: name, folder: null };
}

/** Uses a profile in this folder and below. Nothing is written into the folder. */
export async function bindHere({ settings, cwd }: Pick<Context, 'settings' | 'cwd'>, name: string) {
  checkProfileExists(settings, name);
  const folder = realFolder(cwd);
  await bindFolder(settings, folder, name);
  await forgetFolderEmulator(settings.folders, folder);
  return { profile: name, folder };
}

/** Uses the selected profile in this folder again. Throws NotFoundError if the folder is not bound. */
export async function unbindHere({ settings, cwd }: Pick<Context, 'settings' | 'cwd'>): Promise<{ folder: string }> {
  const folder = realFolder(cwd);
  const { folders = {} } = readStoredSettings(settings.folders.config) as { folders?: Record<string, string> };
  if (!Object.hasOwn(folders, folder)) {
    throw new NotFoundError(`${folder} is not bound to a profile`, { fix: gantryCommand`config profiles` });
  }
  await bindFolder(settings, folder, undefined);
  return { folder };
}

/** Removes a profile's settings and token, after a confirmation. Throws NotFoundError if it does not exist. */
export async function deleteProfile(
  { settings, prompt, willChange }: Pick<Context, 'settings' | 'prompt' | 'willChange'>,
  name: string,
) {
  checkProfileExists(settings, name);
  const hasToken = profilesWithToken(settings).includes(name);
  const what = `profile ${name}${hasToken ? ' and its token' : ''}`;
  await prompt.confirm(`Remove ${what}?`);
  willChange(`remove ${what}`, { profile: name, folder: null, removed: true });
  if (hasToken) {
    await updateStoredFile(settings.folders.config, 'credentials', (stored) => {
      const { [name]: _, ...profiles } = stored.profiles ?? {};
      return { ...stored, profiles };
    });
  }
  await removeProfile(settings, name);
  return { profile: name };
}

/** Throws the error of `--profile`, with its exit code. */
function checkProfileExists(settings: Settings, name: string): void {
  checkProfile({ ...settings, profile: { value: name, origin: 'flag' } });
}

/** The settings that `config set` accepts. */
export const settingNames: readonly string[] = [...storableSettings.keys()];

type Configured = Pick<Context, 'settings' | 'env' | 'progress' | 'cwd'>;

/** Lists the target and every setting that is in force, with their origins. Throws UsageError if the profile in use does not exist. */
export function listSettings({ settings, env, target }: Pick<Context, 'settings' | 'env' | 'target'>): ListedSetting[] {
  checkProfile(settings);
  return [describeTarget(target), ...describeSettings(settings, env, target)];
}

/** Returns the name. Throws UsageError if no setting has it; with `toStore`, if it cannot be stored. */
export function checkSettingName(name: string, { toStore }: { toStore: boolean }): string {
  const names = toStore ? settingNames : readableSettings;
  if (names.includes(name)) return name;
  const meant = closestName(name, names);
  throw new UsageError(`unknown setting "${name}"${meant ? `: did you mean ${meant}?` : ''}`, {
    fix: gantryCommand`config list`,
    ...(meant ? { corrected: { typed: name, meant } } : { why: `available settings: ${names.join(', ')}` }),
  });
}

/** Reads one setting that is in force. Throws NotFoundError if none is. */
export function getSetting(context: Pick<Context, 'settings' | 'env' | 'target'>, name: string) {
  const matching = listSettings(context).find((setting) => setting.name === name);
  if (matching && matching.value !== null) return { ...matching, value: matching.value };
  throw new NotFoundError(
    `${name} is not set`,
    storableSettings.has(name) ? { fix: gantryCommand`config set ${name} VALUE` } : {},
  );
}

/**
 * Stores one setting in the profile in use and creates the profile if needed; without a value, removes the setting.
 * Throws UsageError for an invalid name or value.
 */
export async function storeSetting(context: Configured, name: string, given?: string) {
  const key = storableSettings.get(checkSettingName(name, { toStore: true })) as StoredKey;
  const value = given === undefined ? undefined : checks[key](given, context.progress);
  const profile = context.settings.profile.value;
  if (value === undefined) checkProfile(context.settings);
  await storeSettings(context.settings, profile, { [key]: value });
  warnIfOverridden(context, name, value);
  return { name, value: value ?? null, profile };
}

/** Settings that say where a command goes. */
const ofPlatform = /^(?:project|region)$|-url$/;

/** Warns if a variable, or what the folder remembers, takes precedence over the stored value. */
export function warnIfOverridden(
  { settings, env, progress, cwd }: Configured,
  name: string,
  stored: string | undefined,
): void {
  if (ofPlatform.test(name) && readFolderTarget(settings.folders, cwd)?.platform === 'emulator') {
    const line = gantryCommand`config profiles use ${settings.profile.value} --here`;
    progress.warn(sentence`this folder uses the emulator that it was deployed to; ${line} changes that`);
  }
  const effective = describeSettings(settings, env).find((setting) => setting.name === name);
  const [, variable] = groupsOf(/^environment \((\w+)\)$/, effective?.origin ?? '');
  if (variable && effective?.value !== stored) {
    progress.warn(`${variable} takes precedence while it is set: ${name} is ${effective?.value}`);
  }
}

const checkAddress = (value: string) => checkUrl(value);

/** What each setting accepts: returns the value to store, or throws UsageError. */
const checks: Record<StoredKey, (value: string, progress: Context['progress']) => string> = {
  project: checkProjectId,
  region: checkRegion,
  apiUrl: checkAddress,
  inferenceUrl: checkAddress,
  loginUrl: checkAddress,
  refreshUrl: checkAddress,
  logsUrl: checkAddress,
  statusUrl: checkAddress,
  packingCache: checkSwitch,
  keepArchives: checkSwitch,
  teamState: (value) => checkTeamState(value),
};

/** The platform may have regions that are not documented yet, but they are named like the others. */
function checkRegion(value: string, progress: Context['progress']): string {
  if (!looksLikeRegion(value)) {
    const meant = closestName(value, regions) ?? regions[0] ?? '';
    const message = `unknown region ${value}: expected ${regions.join(', ')}`;
    throw new UsageError(message, { fix: gantryCommand`config set region ${meant}` });
  }
  const warning = undocumentedRegion(value);
  if (warning) progress.warn(warning);
  return value;
}

function checkSwitch(value: string): string {
  if (value === 'on' || value === 'off') return value;
  const meant = /^(0|false|no|n|disabled?|none)$/i.test(value) ? 'off' : 'on';
  throw new UsageError(`invalid value "${value}": expected on or off`, { corrected: { typed: value, meant } });
}

/** Throws UsageError where the environment is that of an emulator and no profile was typed: what it knows is not the platform's. */
export function refuseEmulator({ env, settings }: Pick<Context, 'env' | 'settings'>): void {
  const { value, origin } = settings.profile;
  if (!readVariable(env, 'GANTRY_EMULATOR_SECRET') || origin === 'flag') return;
  throw new UsageError(`the environment is that of an emulator, and profile ${value} is of the platform`, {
    why: 'this command would store in it what the emulator knows',
    fix: 'type another profile for it, such as --profile emulator, and use that in this environment only',
  });
}
