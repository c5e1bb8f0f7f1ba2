import { checkAccess, readClaims } from '../account/access.ts';
import type { Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { accountOf } from '../team/account.ts';

/**
 * Lets a call of an app pass: anybody's when the app is public, which it is unless its owner says otherwise, else with
 * a key of the project or a service account's token (wire §7). A person's login opens no app.
 */
export function checkCaller(authorization: string | undefined, app: AppRecord, platform: Platform): void {
  if (app.settings.disableAuth) return;
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  const key = accountOf(platform, app.project).keys.find(({ apiKey }) => apiKey === token);
  if (token && key) {
    if (key.status && key.status !== 'active') refuse(401, `the key ${key.name} is ${key.status}`);
    return;
  }
  if (readClaims(authorization ?? '', platform.store.key)?.token_use === 'access') {
    refuse(401, 'a login does not open an app: use an inference key or the token of a service account');
  }
  checkAccess(authorization, app.project, platform);
}
