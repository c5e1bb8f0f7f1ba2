import type { Credential } from '../config/credentials.ts';
import type { ApiOptions } from './client.ts';

/** Renews a token that expires within a minute, so that it cannot expire on the way to the server. */
const leewayMs = 60_000;

/**
 * Adds the token to each call. A renewable token is renewed before it expires and after a 401. Concurrent calls share
 * one renewal.
 */
export function createTokenProvider(
  credential: () => Credential,
  renew: (current: Credential, refused: boolean) => Promise<Credential>,
  now: () => number,
): ApiOptions['token'] {
  let current: Credential | undefined;
  let renewing: Promise<Credential> | undefined;
  return async (refused) => {
    current ??= credential();
    const { token, refreshToken, expiresAt } = current;
    const due = refused === undefined ? expiresAt !== undefined && expiresAt - leewayMs <= now() : refused === token;
    if (!due || !refreshToken) return token;
    renewing ??= renew(current, refused !== undefined).finally(() => {
      renewing = undefined;
    });
    current = await renewing;
    return current.token;
  };
}
