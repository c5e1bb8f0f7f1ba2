import { join } from 'node:path';
import { gantryCommand } from '../command-line.ts';
import { readRegularSync } from '../disk/regular-file.ts';
import { UsageError } from '../errors.ts';
import type { Settings } from './settings.ts';

type Where = Pick<Settings, 'folders' | 'profile' | 'profiles'>;

/** The profiles that have a token of their own: names only. */
export function profilesWithToken({ folders }: Pick<Settings, 'folders'>): string[] {
  try {
    const { profiles } = JSON.parse(readRegularSync(join(folders.config, 'credentials.json')));
    return Object.keys(profiles).filter((name) => Object.keys(profiles[name] ?? {}).length > 0);
  } catch {
    return [];
  }
}

/** Every profile that has settings or a token; `default` needs neither. */
export function profileNames(settings: Where): string[] {
  return [...new Set(['default', ...settings.profiles, ...profilesWithToken(settings)])];
}

/** Throws when the profile in use is one that nobody made: a slip of the pen would pass for a set without settings. */
export function checkProfile(settings: Where): void {
  const { value: name = 'default', origin } = settings.profile;
  if (name === 'default' || settings.profiles.includes(name)) return;
  const names = profileNames(settings);
  if (names.includes(name)) return;
  throw new UsageError(`there is no profile "${name}"`, {
    why: `it comes from the ${origin === 'profile' ? 'settings' : origin}; the profiles are ${names.join(', ')}`,
    fix: gantryCommand`login --profile ${name}`,
    details: { profiles: names },
  });
}
