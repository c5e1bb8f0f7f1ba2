import { checkGrant, identifyCaller } from '../account/access.ts';
import type { Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';

/**
 * Authorizes a call of an app. An app is public by default; a private app needs a key of the project, or the token of a
 * service account with a grant. A person's login token is not accepted (docs/platform.md#invocation).
 */
export function checkCaller(authorization: string | undefined, app: AppRecord, platform: Platform): void {
  if (app.settings.disableAuth) return;
  const caller = identifyCaller(authorization, platform);
  if (caller.kind === 'user') {
    refuse(401, 'a login token cannot call apps: use an inference key or the token of a service account');
  }
  checkGrant(caller, app.project, platform);
}
