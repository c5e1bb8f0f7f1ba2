import { randomBytes } from 'node:crypto';
import { oauthClientId } from '../../../platform/contract/session.ts';
import { oauthError, RefusalError } from '../../http/reply.ts';
import type { DeviceRecord } from '../../model/state/records.ts';
import type { Handlers, Platform } from '../platform.ts';
import { signToken } from './access.ts';
import { activationPath, codeSeconds } from './activation.ts';

/** Seconds that a client should wait between two polls. The official client polls every 500 ms all the same. */
const pollSeconds = 5;
const tokenSeconds = 4 * 60 * 60;

export const sessionHandlers = {
  authorizeDevice(_, { store, now, url }) {
    const device: DeviceRecord = {
      code: randomBytes(24).toString('base64url'),
      userCode: newUserCode(),
      state: 'waiting',
      createdAt: now(),
    };
    store.devices.set(device.code, device);
    const address = `${url}${activationPath}`;
    return {
      deviceAuthResponsePayload: {
        device_code: device.code,
        user_code: device.userCode,
        verification_uri: address,
        verification_uri_complete: `${address}?user_code=${device.userCode}`,
        expires_in: codeSeconds,
        interval: pollSeconds,
      },
    };
  },

  /** A code can be exchanged once. Polling too often is not refused: `requestToken=slow_down` is a fault. */
  requestToken({ body }, platform) {
    const { store, now } = platform;
    const device = store.devices.get(body.device_code) ?? refuseToken('invalid_grant', 'unknown device code');
    if (now() >= device.createdAt + codeSeconds * 1000) refuseToken('expired_token', 'the code has expired');
    if (device.state === 'denied') refuseToken('access_denied', 'the user denied the login');
    if (device.state === 'waiting') refuseToken('authorization_pending', 'the user has not approved the login yet');
    store.devices.delete(device.code);
    const refreshToken = `refresh-${randomBytes(32).toString('base64url')}`;
    store.sessions.set(refreshToken, 'ada.okafor@example.com');
    store.save();
    return { accessToken: createAccessToken('ada.okafor@example.com', platform), refreshToken };
  },

  /** The refresh token does not change. It is revoked by removing it from the store. */
  renewToken({ body }, platform) {
    if (body.grant_type !== 'refresh_token')
      refuseToken('unsupported_grant_type', `${body.grant_type} is not supported`);
    if (body.client_id !== oauthClientId) refuseToken('invalid_client', 'unknown client');
    const user =
      platform.store.sessions.get(body.refresh_token) ?? refuseToken('invalid_grant', 'Refresh Token has been revoked');
    return { access_token: createAccessToken(user, platform), token_type: 'Bearer', expires_in: tokenSeconds };
  },

  /** A service account sees the projects that it has grants for. */
  listProjects(_, { store }, caller) {
    const grants = caller?.kind === 'service account' ? caller.projects : undefined;
    const visible = store.projects.filter((id) => grants?.includes(id) ?? true);
    return visible.map((id) => ({ id, name: `project ${id.replace(/^p-/, '')}` }));
  },
} satisfies Partial<Handlers>;

/** A user's token, valid for every project. */
function createAccessToken(user: string, { store, now }: Platform): string {
  const iat = Math.floor(now() / 1000);
  const identity = { sub: 'c0ffee00-ada0-4000-8000-000000000001', username: user, token_use: 'access' as const };
  return signToken(
    { ...identity, client_id: oauthClientId, jti: store.newId(), iat, exp: iat + tokenSeconds },
    store.key,
  );
}

/** Two groups of four consonants: they form no words and do not look alike. */
function newUserCode(): string {
  const letters = 'BCDFGHJKLMNPQRSTVWXZ';
  const code = [...randomBytes(8)].map((byte) => letters[byte % letters.length]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

function refuseToken(error: string, description: string): never {
  throw new RefusalError(oauthError(error, description));
}
