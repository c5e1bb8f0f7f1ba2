import type { Credential } from '../config/credentials.ts';
import type { ApiOptions } from './client.ts';

/** A token is renewed this long before it expires, in ms, so that it does not expire during a request. */
const marginMs = 60_000;

/** A service that does not renew the token, or sends one that expires at once, is not asked again with each call. */
const pauseMs = 60_000;

/** Renews before expiry and after a 401, at most once a minute, whose calls share the new token or the failure. */
export function createTokenProvider(
  credential: () => Credential,
  renew: (current: Credential, refused: boolean) => Promise<Credential>,
  { now, elapsed }: { now: () => number; elapsed: () => number },
): ApiOptions['token'] {
  let current: Credential | undefined;
  let renewal: { result: Promise<Credential>; at: number } | undefined;
  return async (refused) => {
    current ??= credential();
    const { token, refreshToken, expiresAt = Number.POSITIVE_INFINITY } = current;
    const expires = expiresAt - marginMs <= now();
    if (!refreshToken || !(refused === undefined ? expires : refused === token)) return token;
    if (!renewal || elapsed() - renewal.at >= pauseMs) {
      renewal = { result: renew(current, refused !== undefined), at: elapsed() };
    }
    current = await renewal.result;
    return current.token;
  };
}
