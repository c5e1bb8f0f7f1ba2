import { join } from 'node:path';
import { environmentCredential, parseClaims, type StoredTokens } from '../../config/credentials.ts';
import type { Settings } from '../../config/settings.ts';
import { updateStoredFile } from '../../config/stored-files.ts';
import type { Context } from '../../context.ts';

/** What a login leaves behind. */
export interface Login {
  profile: string;
  project: string | null;
  /** Who the token is for. */
  user: string | null;
  expiresAt: string | null;
  /** Whether the token is renewed when it ends. */
  renewable: boolean;
  /** The file with the token. */
  storedIn: string;
}

type Profiles = Record<string, StoredTokens>;

/** Fails now, before a person has done anything, when nothing could be stored. */
export function checkCredentialsWritable({ settings }: Pick<Context, 'settings'>): Promise<void> {
  return updateStoredFile(settings.folders.config, 'credentials', (stored) => stored);
}

/** Replaces all tokens of the profile and reports what overrides them. */
export async function storeTokens(context: Context, tokens: StoredTokens): Promise<void> {
  const { settings, env, progress, secrets } = context;
  secrets.add(tokens.token, tokens.refreshToken);
  await updateStoredFile(settings.folders.config, 'credentials', (stored) => ({
    ...stored,
    profiles: { ...(stored.profiles as Profiles | undefined), [profileInUse(settings)]: tokens },
  }));
  const given = environmentCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} is used as long as it is set, not this one`);
}

/** Takes away the tokens of one profile, or of all. Returns the names of those that had any. */
export async function removeTokens({ settings }: Pick<Context, 'settings'>, all: boolean): Promise<string[]> {
  let removed: string[] = [];
  await updateStoredFile(settings.folders.config, 'credentials', (stored) => {
    const profiles = Object.entries((stored.profiles ?? {}) as Profiles);
    const goes = ([name]: [string, unknown]) => all || name === profileInUse(settings);
    removed = profiles.filter(goes).map(([name]) => name);
    return { ...stored, profiles: Object.fromEntries(profiles.filter((entry) => !goes(entry))) };
  });
  return removed;
}

/** What is told of a login. */
export function describeLogin(settings: Settings, tokens: StoredTokens, project: string | null): Login {
  const { user, expiresAt } = parseClaims(tokens.token);
  return {
    ...{ profile: profileInUse(settings), project, user: user ?? null },
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    renewable: tokens.refreshToken !== undefined,
    storedIn: credentialsPath(settings),
  };
}

export function credentialsPath({ folders }: Settings): string {
  return join(folders.config, 'credentials.json');
}

export function profileInUse(settings: Settings): string {
  return settings.profile.value ?? 'default';
}
