import { existsSync } from 'node:fs';
import { environmentCredential } from '../../config/credentials.ts';
import type { Context } from '../../context.ts';
import { credentialsPath, profileInUse, removeTokens } from './stored-login.ts';

export interface LogoutResult {
  profiles: string[];
  /** Where a token comes from that is still used. */
  stillUsed: string | null;
}

/** Takes the stored tokens of the profile, or of all, off this machine. Nothing to take is fine too. */
export async function logOut(context: Context, { all }: { all: boolean }): Promise<LogoutResult> {
  const { settings, env, progress } = context;
  const profiles = existsSync(credentialsPath(settings)) ? await removeTokens(context, all) : [];
  if (profiles.length > 0)
    progress.note('a token that was removed is valid until it ends: the dashboard can revoke it');
  else progress.note(all ? 'no token is stored' : `no token is stored for the profile ${profileInUse(settings)}`);
  const given = environmentCredential(env);
  if (given) progress.warn(`the token from the ${given.origin} is still used: unset it as well`);
  return { profiles, stillUsed: given?.origin ?? null };
}
