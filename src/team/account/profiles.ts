import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { forgetFolderEmulator } from '../../platform/config/folder-target.ts';
import { realFolder } from '../../platform/config/folders.ts';
import { checkProfile, profileNames, profilesWithToken } from '../../platform/config/profiles.ts';
import { readStoredSettings, type Settings } from '../../platform/config/settings.ts';
import { bindFolder, removeProfile, updateStoredFile, useProfile } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';

/** A profile without its token. */
export interface Profile {
  name: string;
  /** Whether it is in use. */
  current: boolean;
  project: string | null;
  hasToken: boolean;
  /** The folders that are bound to it. */
  folders: string[];
}

export function listProfiles({ settings }: Pick<Context, 'settings'>): Profile[] {
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
export async function switchProfile(
  { settings, progress }: Pick<Context, 'settings' | 'progress'>,
  name: string,
): Promise<{ profile: string; folder: null }> {
  checkProfileExists(settings, name);
  await useProfile(settings, name);
  const { value, origin } = settings.profile;
  if (origin.startsWith('environment') && value !== name) {
    progress.warn(`GANTRY_PROFILE takes precedence while it is set: the profile in use is ${value}`);
  }
  if (origin.startsWith('folder') && value !== name) {
    progress.warn(
      sentence`this folder uses profile ${value ?? ''}, from the ${origin}; ${gantryCommand`config profiles use ${name} --here`} changes that`,
    );
  }
  return { profile: name, folder: null };
}

/** Uses a profile in this folder and below. Nothing is written into the folder. */
export async function bindHere(
  { settings, cwd }: Pick<Context, 'settings' | 'cwd'>,
  name: string,
): Promise<{ profile: string; folder: string }> {
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

/** The same error, and the same exit code, as for `--profile`. */
function checkProfileExists(settings: Settings, name: string): void {
  checkProfile({ ...settings, profile: { value: name, origin: 'flag' } });
}
