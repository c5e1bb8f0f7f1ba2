import { gantryCommand } from '../command-line.ts';
import { type Credential, notLoggedInError, type StoredTokens, toCredential } from '../config/credentials.ts';
import type { Settings } from '../config/settings.ts';
import { updateStoredFile } from '../config/stored-files.ts';
import { oauthClientId, renewToken } from '../contract/session.ts';
import { AuthError, GantryError } from '../errors.ts';
import type { Api } from './client.ts';

interface Renewing {
  api: Api;
  settings: Settings;
  now: () => number;
  warn: (message: string) => void;
}

/**
 * Replaces a token that expires or that the server `refused`, and stores the new one. Only one process renews at a
 * time; the others read the new token from the file. If it cannot be stored, it is valid for this run only. Throws
 * AuthError when the login has expired.
 */
export async function renewStoredToken(current: Credential, refused: boolean, renewing: Renewing): Promise<Credential> {
  const { settings, now, warn } = renewing;
  const profile = settings.profile.value ?? 'default';
  let begun = false;
  let fresh: StoredTokens | undefined;
  try {
    await updateStoredFile(settings.folders.config, 'credentials', async (stored) => {
      begun = true;
      const profiles = { ...(stored.profiles as Record<string, StoredTokens> | undefined) };
      const known = profiles[profile];
      if (!known) throw notLoggedInError();
      fresh = known.token === current.token ? await ask(known, renewing) : known;
      return { ...stored, profiles: { ...profiles, [profile]: fresh } };
    });
  } catch (error) {
    if (begun && !fresh) return stillGood(current, refused, error, now());
    fresh ??= await ask(current, renewing);
    warn('cannot store the renewed token: the next command will renew it again');
  }
  return fresh ? toCredential(fresh, profile) : current;
}

/** Asks for a fresh token. The refresh token stays good unless another one comes with it. */
async function ask({ refreshToken = '' }: StoredTokens, { api }: Renewing): Promise<StoredTokens> {
  try {
    const body = { grant_type: 'refresh_token', client_id: oauthClientId, refresh_token: refreshToken };
    const answer = await api(renewToken, { body });
    return { token: answer.access_token, refreshToken: answer.refresh_token ?? refreshToken };
  } catch (error) {
    throw error instanceof GantryError && refusals.has(error.facts.status ?? 0) ? ended(error) : error;
  }
}

/** Statuses by which a refresh token is refused for good; everything else may pass. */
const refusals = new Set([400, 401]);

function ended(error: GantryError): AuthError {
  const why = `renewing the token failed: ${error.message}`;
  return new AuthError('the login has expired', { ...error.facts, why, fix: gantryCommand`login`, cause: error });
}

/** What could not be renewed serves until its end, unless there is no login any more. */
function stillGood(current: Credential, refused: boolean, error: unknown, now: number): Credential {
  if (refused || error instanceof AuthError || (current.expiresAt ?? 0) <= now) throw error;
  return current;
}
