import { gantryCommand } from '../../command-line.ts';
import { profileNames, profilesWithToken } from '../../config/profiles.ts';
import { readStoredSettings, type Settings } from '../../config/settings.ts';
import { removeProfile, updateStoredFile, useProfile } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';
import { NotFoundError } from '../../errors.ts';

/** A profile without its token. */
export interface Profile {
  name: string;
  /** Whether it is in use. */
  current: boolean;
  project: string | null;
  hasToken: boolean;
}

export function listProfiles({ settings }: Pick<Context, 'settings'>): Profile[] {
  const withToken = profilesWithToken(settings);
  const { profiles = {} } = readStoredSettings(settings.folders.config) as {
    profiles?: Record<string, { project?: string }>;
  };
  return profileNames(settings).map((name) => ({
    name,
    current: name === settings.profile.value,
    project: profiles[name]?.project ?? null,
    hasToken: withToken.includes(name),
  }));
}

/** Switches to another profile. Throws NotFoundError if it does not exist. */
export async function switchProfile(
  { settings, progress }: Pick<Context, 'settings' | 'progress'>,
  name: string,
): Promise<{ profile: string }> {
  checkProfileExists(settings, name);
  await useProfile(settings, name);
  const { value, origin } = settings.profile;
  if (origin.startsWith('environment') && value !== name) {
    progress.warn(`GANTRY_PROFILE takes precedence while it is set: the profile in use is ${value}`);
  }
  return { profile: name };
}

/** Removes a profile's settings and token, after a confirmation. Throws NotFoundError if it does not exist. */
export async function deleteProfile({ settings, prompt }: Pick<Context, 'settings' | 'prompt'>, name: string) {
  checkProfileExists(settings, name);
  const hasToken = profilesWithToken(settings).includes(name);
  await prompt.confirm(`Remove profile ${name}${hasToken ? ' and its token' : ''}?`);
  if (hasToken) {
    await updateStoredFile(settings.folders.config, 'credentials', (stored) => {
      const { [name]: _, ...profiles } = stored.profiles ?? {};
      return { ...stored, profiles };
    });
  }
  await removeProfile(settings, name);
  return { profile: name };
}

function checkProfileExists(settings: Settings, name: string): void {
  const names = profileNames(settings);
  if (names.includes(name)) return;
  throw new NotFoundError(`profile "${name}" not found`, {
    why: `available profiles: ${names.join(', ')}`,
    fix: gantryCommand`login --profile ${name}`,
  });
}
