import { gantryCommand } from '../../command-line.ts';
import { checkProfile } from '../../config/profiles.ts';
import { describeSettings, type ListedSetting, storableSettings } from '../../config/setting-list.ts';
import { checkUrl, type StoredKey } from '../../config/settings.ts';
import { storeSettings } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { closestName } from '../../project/toml/closest-name.ts';

type Configured = Pick<Context, 'settings' | 'env' | 'progress'>;

/** Every setting and where it is from. Throws UsageError when the profile in use is one that nobody made. */
export function listSettings({ settings, env }: Configured): ListedSetting[] {
  checkProfile(settings);
  return describeSettings(settings, env);
}

/** One setting. Throws NotFoundError when it has no value, UsageError when there is none of this name. */
export function getSetting(context: Configured, name: string): ListedSetting & { value: string } {
  const found = listSettings(context).find((setting) => setting.name === name);
  if (!found)
    throw unknownSettingError(name, [
      ...describeSettings(context.settings, context.env).map((setting) => setting.name),
    ]);
  const { value } = found;
  if (value !== null) return { ...found, value };
  throw new NotFoundError(
    `${name} is not set`,
    storableSettings.has(name) ? { fix: `gantry config set ${name} VALUE` } : {},
  );
}

/** What a profile holds after a change. */
export interface StoredSetting {
  name: string;
  value: string | null;
  profile: string;
}

/**
 * Stores one setting in the current profile, and creates the profile if necessary. Without a value, removes the
 * setting. Never stores what a flag or the environment sets for this run. Throws UsageError for an invalid value.
 */
export async function storeSetting(context: Configured, name: string, given?: string): Promise<StoredSetting> {
  const key = storableSettings.get(name);
  if (!key) throw unknownSettingError(name, [...storableSettings.keys()]);
  const value = given === undefined ? undefined : checkValue(key, given);
  const profile = context.settings.profile.value ?? 'default';
  if (value === undefined) checkProfile(context.settings);
  await storeSettings(context.settings, profile, { [key]: value });
  warnIfOverridden(context, name, value);
  return { name, value: value ?? null, profile };
}

/** Says so when what was stored will not be what is used, here and now. */
export function warnIfOverridden(
  { settings, env, progress }: Configured,
  name: string,
  stored: string | undefined,
): void {
  const winner = describeSettings(settings, env).find((setting) => setting.name === name);
  const [, variable] = /^environment \((\w+)\)$/.exec(winner?.origin ?? '') ?? [];
  if (variable && winner?.value !== stored) {
    progress.warn(`${variable} is set and still wins: ${name} is ${winner?.value} here`);
  }
}

/** The value as it is stored. */
function checkValue(key: StoredKey, value: string): string {
  if (key === 'project') return checkProjectId(value);
  if (key.endsWith('Url')) return checkUrl(value, 'command line');
  if (/^[a-z0-9-]+$/.test(value)) return value;
  throw new UsageError(`"${value}" is not a region`, { why: 'lower-case letters, digits and hyphens only' });
}

/** Throws UsageError for what cannot be the id of a project. */
export function checkProjectId(value: string): string {
  if (/^(dev-)?p-[\w-]+$/.test(value)) return value;
  throw new UsageError(`"${value}" is not the id of a project`, {
    why: 'ids look like p-12345678',
    fix: gantryCommand`projects list`,
  });
}

function unknownSettingError(name: string, names: string[]): UsageError {
  const meant = closestName(name, names);
  const list = `the settings are ${names.join(', ')}`;
  return new UsageError(
    `there is no setting "${name}"`,
    meant ? { why: list, fix: `did you mean ${meant}?` } : { why: list },
  );
}
