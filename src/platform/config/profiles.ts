import { join } from 'node:path';
import { closestName } from '../../kernel/closest-name.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { readJsonSync } from '../../kernel/disk/regular-file.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Settings } from './settings.ts';

type ProfileSettings = Pick<Settings, 'folders' | 'profile' | 'profiles'>;

export function profilesWithToken({ folders }: Pick<Settings, 'folders'>): string[] {
  const { profiles } = Object(readJsonSync(join(folders.config, 'credentials.json')));
  return Object.entries(Object(profiles)).flatMap(([name, tokens]) =>
    Object.keys(Object(tokens)).length > 0 ? name : [],
  );
}

/** Nobody needs to be told of a flag just typed. */
const origins: Record<string, string> = { flag: '', profile: 'it comes from the settings; ' };

/** Names of the profiles that have settings or a token, and `default`. */
export function profileNames(settings: ProfileSettings): string[] {
  return [...new Set(['default', ...settings.profiles, ...profilesWithToken(settings)])];
}

/** Throws UsageError if the profile in use does not exist: a misspelled name would read as a profile without settings. */
export function checkProfile(settings: ProfileSettings): void {
  const { value: name, origin } = settings.profile;
  if (name === 'default' || settings.profiles.includes(name)) return;
  const names = profileNames(settings);
  if (names.includes(name)) return;
  const meant = closestName(name, names);
  throw new UsageError(`profile "${name}" not found${meant ? `: did you mean ${meant}?` : ''}`, {
    why: `${origins[origin] ?? `it comes from the ${origin}; `}available profiles: ${names.join(', ')}`,
    fix: meant === undefined ? gantryCommand`login --profile ${name}` : gantryCommand`config profiles`,
    details: { profiles: names },
    ...(meant && { corrected: { typed: name, meant, isGuess: true } }),
  });
}
