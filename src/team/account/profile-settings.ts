import { regions } from '../../app/hardware.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { checkProfile } from '../../platform/config/profiles.ts';
import {
  describeSettings,
  describeTarget,
  type ListedSetting,
  readableSettings,
  storableSettings,
} from '../../platform/config/setting-list.ts';
import { checkProjectId, checkUrl, looksLikeRegion, teamStateProblem } from '../../platform/config/setting-values.ts';
import type { StoredKey } from '../../platform/config/settings.ts';
import { storeSettings } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';

/** The settings that `config set` accepts. */
export const settingNames: readonly string[] = [...storableSettings.keys()];

type Configured = Pick<Context, 'settings' | 'env' | 'progress'>;

/** Lists the target and every setting that is in force, with their origins. Throws UsageError if the profile in use does not exist. */
export function listSettings({ settings, env, target }: Pick<Context, 'settings' | 'env' | 'target'>): ListedSetting[] {
  checkProfile(settings);
  return [describeTarget(target), ...describeSettings(settings, env, target)];
}

/** Returns the name. Throws UsageError if no setting has it; with `toStore`, if it cannot be stored. */
export function checkSettingName(name: string, { toStore }: { toStore: boolean }): string {
  const names = toStore ? settingNames : readableSettings;
  if (names.includes(name)) return name;
  const suggestion = closestName(name, names);
  const why = `available settings: ${names.join(', ')}`;
  if (!suggestion) throw new UsageError(`unknown setting "${name}"`, { why, fix: gantryCommand`config list` });
  throw new UsageError(`unknown setting "${name}": did you mean ${suggestion}?`, {
    fix: gantryCommand`config list`,
    corrected: { typed: name, meant: suggestion },
  });
}

/** Reads one setting that is in force. Throws NotFoundError if none is. */
export function getSetting(
  context: Pick<Context, 'settings' | 'env' | 'target'>,
  name: string,
): ListedSetting & { value: string } {
  const found = listSettings(context).find((setting) => setting.name === name);
  if (found && found.value !== null) return { ...found, value: found.value };
  throw new NotFoundError(
    `${name} is not set`,
    storableSettings.has(name) ? { fix: gantryCommand`config set ${name} VALUE` } : {},
  );
}

/** A setting of a profile after a change. */
export interface StoredSetting {
  name: string;
  value: string | null;
  profile: string;
}

/**
 * Stores one setting in the profile in use and creates the profile if needed; without a value, removes the setting.
 * Throws UsageError for an invalid name or value.
 */
export async function storeSetting(context: Configured, name: string, given?: string): Promise<StoredSetting> {
  const key = storableSettings.get(checkSettingName(name, { toStore: true })) as StoredKey;
  const value = given === undefined ? undefined : checks[key](given, context.progress);
  const profile = context.settings.profile.value;
  if (value === undefined) checkProfile(context.settings);
  await storeSettings(context.settings, profile, { [key]: value });
  warnIfOverridden(context, name, value);
  return { name, value: value ?? null, profile };
}

/** Warns if a variable takes precedence over the stored value. */
export function warnIfOverridden(
  { settings, env, progress }: Configured,
  name: string,
  stored: string | undefined,
): void {
  const effective = describeSettings(settings, env).find((setting) => setting.name === name);
  const [, variable] = /^environment \((\w+)\)$/.exec(effective?.origin ?? '') ?? [];
  if (variable && effective?.value !== stored) {
    progress.warn(`${variable} takes precedence while it is set: ${name} is ${effective?.value}`);
  }
}

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
  teamState: checkTeamState,
};

function checkAddress(value: string): string {
  return checkUrl(value, undefined);
}

/** The platform may have regions that are not documented yet, but they are named like the others. */
function checkRegion(value: string, progress: Context['progress']): string {
  if (regions.includes(value)) return value;
  const expected = `expected ${regions.join(', ')}`;
  if (!looksLikeRegion(value)) {
    const meant = closestName(value, regions) ?? regions[0] ?? '';
    throw new UsageError(`unknown region ${value}: ${expected}`, { fix: gantryCommand`config set region ${meant}` });
  }
  progress.warn(`region ${value} is not documented: ${expected}`);
  return value;
}

function checkTeamState(value: string): string {
  const problem = teamStateProblem(value);
  if (problem) throw problem;
  return value;
}

function checkSwitch(value: string): string {
  if (value === 'on' || value === 'off') return value;
  const meant = /^(0|false|no|n|disabled?|none)$/i.test(value) ? 'off' : 'on';
  throw new UsageError(`invalid value "${value}": expected on or off`, { corrected: { typed: value, meant } });
}
