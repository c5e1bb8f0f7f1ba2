import { gantryCommand } from '../../kernel/command-line.ts';
import { AuthError, type GantryError, isReplyWith, UnexpectedReplyError } from '../../kernel/errors.ts';
import {
  type Credential,
  findNewTokenProblem,
  notLoggedInError,
  type StoredTokens,
  toCredential,
} from '../config/credentials.ts';
import type { Settings } from '../config/settings.ts';
import { updateStoredFile } from '../config/stored-files.ts';
import { oauthClientId, renewToken } from '../contract/session.ts';
import type { Api } from './client.ts';

interface RenewalContext {
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
export async function renewStoredToken(
  current: Credential,
  refused: boolean,
  context: RenewalContext,
): Promise<Credential> {
  const { settings, now, warn } = context;
  const profile = settings.profile.value;
  let isLocked = false;
  let fresh: StoredTokens | undefined;
  try {
    await updateStoredFile(settings.folders.config, 'credentials', async (stored) => {
      isLocked = true;
      const profiles = { ...(stored.profiles as Record<string, StoredTokens> | undefined) };
      const profileNow = profiles[profile];
      if (!profileNow) throw notLoggedInError();
      fresh = profileNow.token === current.token ? await requestToken(profileNow, context) : profileNow;
      return { ...stored, profiles: { ...profiles, [profile]: fresh } };
    });
  } catch (error) {
    if (isLocked && !fresh) return useUntilExpiry(current, refused, error, now());
    fresh ??= await requestToken(current, context);
    warn('cannot store the renewed token: the next command will renew it again');
  }
  return fresh ? toCredential(fresh, profile) : current;
}

async function requestToken({ refreshToken = '' }: StoredTokens, { api, now }: RenewalContext): Promise<StoredTokens> {
  try {
    const body = { grant_type: 'refresh_token', client_id: oauthClientId, refresh_token: refreshToken };
    const reply = await api(renewToken, { body });
    const fresh = { token: reply.access_token, refreshToken: reply.refresh_token || refreshToken };
    checkRenewed(fresh, now());
    return fresh;
  } catch (error) {
    // Other statuses than those of an invalid refresh token are transient.
    throw isReplyWith(error, [400, 401]) ? loginExpiredError(error) : error;
  }
}

/** A token that cannot be used must not replace one that could be renewed again. */
function checkRenewed(tokens: StoredTokens, now: number): void {
  const problem = findNewTokenProblem(tokens, now);
  if (!problem) return;
  throw new UnexpectedReplyError(`the token could not be renewed: ${problem.message}`, {
    why: `the new token ${problem.why}`,
    fix: gantryCommand`login`,
  });
}

function loginExpiredError(error: GantryError): AuthError {
  const why = `renewing the token failed: ${error.message}`;
  return new AuthError('the login has expired', { ...error.facts, why, fix: gantryCommand`login`, cause: error });
}

/** Keeps a token that could not be renewed until it expires, unless the user has logged out. */
function useUntilExpiry(current: Credential, refused: boolean, error: unknown, now: number): Credential {
  if (refused || error instanceof AuthError || (current.expiresAt ?? 0) <= now) throw error;
  return current;
}
