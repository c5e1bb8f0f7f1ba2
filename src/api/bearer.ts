import type { Credential } from '../config/credentials.ts';
import type { ApiOptions } from './client.ts';

/** A token that ends within a minute is renewed before it is used: a call must not arrive after its end (H-69). */
const leewayMs = 60_000;

/**
 * Gives each call its token. Where it can be renewed, that is done in time, and again when the server refuses it
 * (H-65): once, however many calls wait for it.
 */
export function bearer(
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
