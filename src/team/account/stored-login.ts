import { join } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { AuthError } from '../../kernel/errors.ts';
import {
  environmentCredential,
  findTokenProblem,
  parseClaims,
  type StoredTokens,
} from '../../platform/config/credentials.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { updateStoredFile } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';

export interface Login {
  profile: string;
  project: string | null;
  /** User that the token belongs to. */
  user: string | null;
  expiresAt: string | null;
  /** Whether the token is renewed automatically. */
  renewable: boolean;
  /** The file with the token. */
  storedIn: string;
}

type Profiles = Record<string, StoredTokens>;

/** Throws if credentials cannot be stored, before the user does anything. */
export function checkCredentialsWritable({ settings }: Pick<Context, 'settings'>): Promise<void> {
  return updateStoredFile(settings.folders.config, 'credentials', (stored) => stored);
}

/**
 * Replaces the stored tokens of the profile. Warns if a token of the environment takes precedence. Throws AuthError for
 * tokens that cannot be used.
 */
export async function storeTokens(
  context: Context,
  tokens: StoredTokens,
  findProblem = findTokenProblem,
): Promise<void> {
  const { settings, env, progress, secrets, now } = context;
  secrets.add(tokens.token, tokens.refreshToken);
  const problem = findProblem(tokens, now());
  if (problem) {
    const why = problem.why && `the token that the platform sent ${problem.why}`;
    throw new AuthError(`${problem.message}: nothing was stored`, { ...(why && { why }), fix: gantryCommand`login` });
  }
  await updateStoredFile(settings.folders.config, 'credentials', (stored) => ({
    ...stored,
    profiles: { ...(stored.profiles as Profiles | undefined), [settings.profile.value]: tokens },
  }));
  const given = environmentCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} takes precedence while it is set`);
}

/** Removes the tokens of the profile in use, or of all. Returns the names of the profiles that had one. */
export async function removeTokens({ settings }: Pick<Context, 'settings'>, all: boolean): Promise<string[]> {
  let removed: string[] = [];
  await updateStoredFile(settings.folders.config, 'credentials', (stored) => {
    const profiles = Object.entries((stored.profiles ?? {}) as Profiles);
    const isRemoved = ([name]: [string, unknown]) => all || name === settings.profile.value;
    removed = profiles.filter(isRemoved).map(([name]) => name);
    return { ...stored, profiles: Object.fromEntries(profiles.filter((entry) => !isRemoved(entry))) };
  });
  return removed;
}

export function describeLogin(settings: Settings, tokens: StoredTokens, project: string | null): Login {
  const { user, expiresAt } = parseClaims(tokens.token);
  return {
    profile: settings.profile.value,
    project,
    user: user ?? null,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    renewable: tokens.refreshToken !== undefined,
    storedIn: credentialsPath(settings),
  };
}

export function credentialsPath({ folders }: Settings): string {
  return join(folders.config, 'credentials.json');
}
