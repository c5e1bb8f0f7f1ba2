import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { listOf, objectOf, replyObject } from './lists.ts';
import { described, maybe, numberOrNaN, secretOrEmpty, textOrEmpty } from './scalars.ts';

/** Device authorization (RFC 8628). `expires_in` and `interval` are in seconds. */
export const DeviceAuthorization = replyObject(
  {
    device_code: textOrEmpty,
    user_code: textOrEmpty,
    verification_uri: textOrEmpty,
    verification_uri_complete: maybe.text,
    expires_in: numberOrNaN,
    interval: maybe.number,
  },
  'device_code',
  'user_code',
  'verification_uri',
  'expires_in',
);
export type DeviceAuthorization = v.InferOutput<typeof DeviceAuthorization>;

/** Start a login (docs/platform.md#login). */
export const authorizeDevice = endpoint('POST /device-authorization', {
  host: 'login',
  anonymous: true,
  body: v.looseObject({}),
  reply: replyObject({ deviceAuthResponsePayload: DeviceAuthorization }, 'deviceAuthResponsePayload'),
});

/** Error codes of a device login (RFC 8628, 3.5). The first two mean: keep polling. */
export type DeviceLoginError =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | (string & {});

/**
 * Ask whether the login has been approved (docs/platform.md#login). Until then the answer is a 400 with a code of
 * {@link DeviceLoginError} in `error` or `error_code`. The caller polls, so a failed call is not retried.
 */
export const requestToken = endpoint('POST /token', {
  host: 'login',
  anonymous: true,
  retryable: 'never',
  body: v.looseObject({ device_code: v.string() }),
  reply: replyObject({ accessToken: secretOrEmpty, refreshToken: maybe.secret }, 'accessToken'),
});

/** The official client's id at the service that renews tokens (docs/platform.md#login). */
export const oauthClientId = '2om0uempl69t4c6fc70ujstsuk';

/** Get a new access token for a refresh token (docs/platform.md#login). Safe to repeat. */
export const renewToken = endpoint('POST /oauth2/token', {
  host: 'refresh',
  anonymous: true,
  form: true,
  retryable: true,
  body: v.looseObject({ grant_type: v.string(), client_id: v.string(), refresh_token: v.string() }),
  reply: replyObject(
    { access_token: secretOrEmpty, id_token: maybe.secret, refresh_token: maybe.secret },
    'access_token',
  ),
});

export const Project = objectOf({
  id: described(textOrEmpty, 'project id'),
  name: described(maybe.text, 'project name'),
});
export type Project = v.InferOutput<typeof Project>;

/** List the projects that a token gives access to (docs/platform.md#projects). */
export const listProjects = endpoint('GET /v2/projects', { reply: listOf(Project, 'id') });
