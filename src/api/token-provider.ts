import type { Credential } from '../config/credentials.ts';
import type { ApiOptions } from './client.ts';

/** A token is renewed this long before it expires, in ms, so that it does not expire during a request. */
const marginMs = 60_000;

/**
 * Provides the token of each call. A renewable token is renewed before it expires and after a 401. Concurrent calls share
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
    const isDue = refused === undefined ? expiresAt !== undefined && expiresAt - marginMs <= now() : refused === token;
    if (!isDue || !refreshToken) return token;
    renewing ??= renew(current, refused !== undefined).finally(() => {
      renewing = undefined;
    });
    current = await renewing;
    return current.token;
  };
}
