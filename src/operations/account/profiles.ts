import { gantryCommand } from '../../command-line.ts';
import { profileNames, profilesWithToken } from '../../config/profiles.ts';
import { readStoredSettings, type Settings } from '../../config/settings.ts';
import { removeProfile, updateStoredFile, useProfile } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';
import { NotFoundError } from '../../errors.ts';

/** A profile as it may be shown: never its token. */
export interface Profile {
  name: string;
  /** Whether it is the one in use. */
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

/** Makes a profile the one in use. Throws NotFoundError for one that nobody made. */
export async function switchProfile(
  { settings, progress }: Pick<Context, 'settings' | 'progress'>,
  name: string,
): Promise<{ name: string }> {
  checkProfileExists(settings, name);
  await useProfile(settings, name);
  const { value, origin } = settings.profile;
  if (origin.startsWith('environment') && value !== name) {
    progress.warn(`GANTRY_PROFILE is set and still wins: the profile is ${value} here`);
  }
  return { name };
}

/** Forgets a profile's settings and its token. Throws NotFoundError for one that nobody made. */
export async function deleteProfile({ settings, prompt }: Pick<Context, 'settings' | 'prompt'>, name: string) {
  checkProfileExists(settings, name);
  const hasToken = profilesWithToken(settings).includes(name);
  await prompt.confirm(`Remove the profile ${name}${hasToken ? ' and its token' : ''}?`);
  if (hasToken) {
    await updateStoredFile(settings.folders.config, 'credentials', (stored) => {
      const { [name]: _, ...profiles } = stored.profiles ?? {};
      return { ...stored, profiles };
    });
  }
  await removeProfile(settings, name);
  return { name };
}

function checkProfileExists(settings: Settings, name: string): void {
  const names = profileNames(settings);
  if (names.includes(name)) return;
  throw new NotFoundError(`there is no profile "${name}"`, {
    why: `the profiles are ${names.join(', ')}`,
    fix: gantryCommand`login --profile ${name}`,
  });
}
