import { existsSync } from 'node:fs';
import { environmentCredential } from '../../platform/config/credentials.ts';
import type { Context } from '../../platform/context.ts';
import { credentialsPath, removeTokens } from './stored-login.ts';

export interface LogoutResult {
  profiles: string[];
  /** Origin of a token that is still in use, such as a variable. */
  stillUsed: string | null;
}

/** Removes the stored token of the profile, or of all profiles. Succeeds if there is none. */
export async function logOut(context: Context, { all }: { all: boolean }): Promise<LogoutResult> {
  const { settings, env, progress, flags } = context;
  const profiles = existsSync(credentialsPath(settings)) ? await removeTokens(context, all) : [];
  if (profiles.length > 0) progress.note('removed tokens stay valid until they expire; revoke them in the dashboard');
  else progress.note(all ? 'no token stored' : `no token stored for profile ${settings.profile.value}`);
  // The variables of the folder's emulator are ours.
  const given = flags.local ? undefined : environmentCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} is still in use: unset it as well`);
  return { profiles, stillUsed: given?.origin ?? null };
}
