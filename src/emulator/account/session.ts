import { randomBytes } from 'node:crypto';
import { oauthClientId } from '../../contract/session.ts';
import type { Handlers, Platform } from '../platform.ts';
import { jsonReply, RefusalError } from '../server/reply.ts';
import type { DeviceRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import { signToken } from './access.ts';
import { activationPath, codeSeconds } from './activation.ts';

/** Seconds between two polls of a device, and lifetime of a token. */
const pollSeconds = 5;
const tokenSeconds = 4 * 60 * 60;

export const sessionHandlers: Pick<Handlers, 'authorizeDevice' | 'requestToken' | 'renewToken'> = {
  authorizeDevice(_, { store, now, url }) {
    removeOldDevices(store.devices, now());
    const device: DeviceRecord = {
      ...{ code: randomBytes(24).toString('base64url'), userCode: newUserCode(), state: 'waiting' },
      ...{ createdAt: now(), intervalSeconds: pollSeconds },
    };
    store.devices.set(device.code, device);
    const address = `${url}${activationPath}`;
    return {
      deviceAuthResponsePayload: {
        ...{ device_code: device.code, user_code: device.userCode },
        ...{ verification_uri: address, verification_uri_complete: `${address}?user_code=${device.userCode}` },
        ...{ expires_in: codeSeconds, interval: device.intervalSeconds },
      },
    };
  },

  /** A code gives tokens once. Asking too often makes the next wait 5 seconds longer (RFC 8628, 3.5). */
  requestToken({ body }, platform) {
    const { store, now } = platform;
    const device = store.devices.get(body.device_code) ?? refuseToken('invalid_grant', 'the device code is not known');
    if (now() >= device.createdAt + codeSeconds * 1000) refuseToken('expired_token', 'the code has expired');
    const since = now() - (device.polledAt ?? Number.NEGATIVE_INFINITY);
    device.polledAt = now();
    if (since < device.intervalSeconds * 1000) {
      device.intervalSeconds += 5;
      refuseToken('slow_down', `ask every ${device.intervalSeconds} seconds`);
    }
    if (device.state === 'denied') refuseToken('access_denied', 'the person refused');
    if (device.state === 'waiting') refuseToken('authorization_pending', 'the person has not agreed yet');
    store.devices.delete(device.code);
    const refreshToken = `refresh-${randomBytes(32).toString('base64url')}`;
    store.sessions.set(refreshToken, { user: 'ada.okafor@example.com', createdAt: now() });
    store.save();
    return { accessToken: createAccessToken('ada.okafor@example.com', platform), refreshToken };
  },

  /** The refresh token stays the same; taken out of the store it is revoked. */
  renewToken({ body }, platform) {
    if (body.grant_type !== 'refresh_token')
      refuseToken('unsupported_grant_type', `${body.grant_type} is not supported`);
    if (body.client_id !== oauthClientId) refuseToken('invalid_client', 'the client is not known');
    const { user } =
      platform.store.sessions.get(body.refresh_token) ?? refuseToken('invalid_grant', 'Refresh Token has been revoked');
    return { access_token: createAccessToken(user, platform), token_type: 'Bearer', expires_in: tokenSeconds };
  },
};

/** Every local user can begin a login: without a limit, the logins would fill the memory. */
const maxDevices = 1_000;

function removeOldDevices(devices: Store['devices'], now: number): void {
  // An expired code is kept for a while, so that a late poll learns that it has expired.
  for (const { code, createdAt } of devices.values())
    if (now > createdAt + 2 * codeSeconds * 1000) devices.delete(code);
  while (devices.size >= maxDevices) devices.delete(deviceToRemove([...devices.values()]));
}

/** The code to give up: a login that the owner has approved goes last. */
function deviceToRemove(devices: readonly DeviceRecord[]): string {
  return (devices.find(({ state }) => state !== 'approved') ?? devices[0])?.code ?? '';
}

/** The token of a person: it may work in every project there is. */
function createAccessToken(user: string, { store, now }: Platform): string {
  const iat = Math.floor(now() / 1000);
  const person = { sub: 'c0ffee00-ada0-4000-8000-000000000001', username: user, token_use: 'access' as const };
  return signToken(
    { ...person, client_id: oauthClientId, jti: store.newId(), iat, exp: iat + tokenSeconds },
    store.key,
  );
}

/** Two times four letters, none of which could make a word or be taken for another. */
function newUserCode(): string {
  const letters = 'BCDFGHJKLMNPQRSTVWXZ';
  const code = [...randomBytes(8)].map((byte) => letters[byte % letters.length]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** A refusal as OAuth words it. */
function refuseToken(error: string, description: string): never {
  throw new RefusalError(jsonReply({ error, error_description: description }, 400));
}
