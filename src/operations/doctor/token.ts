import { type Credential, findCredential, renewalFix, storedCredential } from '../../config/credentials.ts';
import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { GantryError } from '../../errors.ts';
import { localTime } from '../../output/words.ts';
import { type Check, failure, ok, warning } from './check.ts';

/** A token that ends sooner is worth a word, milliseconds. */
const soonMs = 7 * 86_400_000;

/** The token, if there is one that has not ended, and what is to be said of it before the platform has seen it. */
export interface TokenInUse {
  credential?: Credential;
  check: Check;
}

export function tokenInUse(env: Environment, settings: Settings, now: number): TokenInUse {
  try {
    const credential = findCredential(env, settings, now, () => {});
    return { credential, check: described(credential, settings, now) };
  } catch (error) {
    if (error instanceof GantryError) return { check: failure('token', error) };
    throw error;
  }
}

function described(credential: Credential, settings: Settings, now: number): Check {
  const { origin, expiresAt, refreshToken, fromEnvironment } = credential;
  const unused = fromEnvironment && storedCredential(settings, () => {}) ? '; the stored one is not used' : '';
  if (refreshToken) return ok('token', `from the ${origin}, renewed when it ends${unused}`);
  if (expiresAt === undefined) return ok('token', `from the ${origin}; it does not say when it ends${unused}`);
  const message = `from the ${origin}, ends ${localTime(new Date(expiresAt).toISOString())}${unused}`;
  return expiresAt - now > soonMs ? ok('token', message) : warning('token', message, renewalFix(credential));
}
