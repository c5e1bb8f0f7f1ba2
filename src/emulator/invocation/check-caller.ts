import { checkAccess, readClaims } from '../account/access.ts';
import type { Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { getAccount } from '../team/account.ts';

/**
 * Authorizes a call of an app. An app is public by default; a private app needs a key of the project or a service
 * account's token. A person's login token is not accepted (docs/platform.md#invocation).
 */
export function checkCaller(authorization: string | undefined, app: AppRecord, platform: Platform): void {
  if (app.settings.disableAuth) return;
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  const key = getAccount(platform, app.project).keys.find(({ apiKey }) => apiKey === token);
  if (token && key) {
    if (key.status && key.status !== 'active') refuse(401, `the key ${key.name} is ${key.status}`);
    return;
  }
  if (readClaims(authorization ?? '', platform.store.key)?.token_use === 'access') {
    refuse(401, 'a login token cannot call apps: use an inference key or the token of a service account');
  }
  checkAccess(authorization, app.project, platform);
}
