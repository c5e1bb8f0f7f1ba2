import type { Environment } from '../../kernel/environment.ts';
import { GantryError } from '../../kernel/errors.ts';
import { localTime } from '../../kernel/output/format.ts';
import { type Credential, findCredential, renewalFix, storedCredential } from '../../platform/config/credentials.ts';
import type { LocalSettings, Settings } from '../../platform/config/settings.ts';
import { type Check, errorCheck, okCheck, warningCheck } from './check.ts';

/** Warns about a token that expires sooner. */
const expiryWarningMs = 7 * 86_400_000;

/** The token, if it is usable, and the result of checks that need no request. */
export interface TokenCheck {
  credential?: Credential;
  check: Check;
}

export function checkToken(env: Environment, settings: Settings, now: number, local?: LocalSettings): TokenCheck {
  try {
    const found = findCredential(env, settings, now, () => {});
    const credential = local ? { ...found, origin: local.name } : found;
    return { credential, check: describeToken(credential, settings, now) };
  } catch (error) {
    if (error instanceof GantryError) return { check: errorCheck('token', error) };
    throw error;
  }
}

function describeToken(credential: Credential, settings: Settings, now: number): Check {
  const { origin, expiresAt, refreshToken, fromEnvironment } = credential;
  const unused = fromEnvironment && storedCredential(settings, () => {}) ? '; the stored token is not used' : '';
  if (refreshToken) return okCheck('token', `from the ${origin}, renewed automatically${unused}`);
  if (expiresAt === undefined) return okCheck('token', `from the ${origin}, expiry unknown${unused}`);
  const message = `from the ${origin}, expires ${localTime(new Date(expiresAt).toISOString())}${unused}`;
  return expiresAt - now > expiryWarningMs
    ? okCheck('token', message)
    : warningCheck('token', message, renewalFix(credential));
}
