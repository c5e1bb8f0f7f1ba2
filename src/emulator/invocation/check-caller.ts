import type { IncomingMessage } from 'node:http';
import { checkAccess, readClaims } from '../account/access.ts';
import type { Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { getAccount } from '../team/account.ts';

type Caller = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Authorizes a call of an app. An app is public by default; a private app needs a key of the project or a service
 * account's token. A person's login token is not accepted (docs/platform.md#invocation).
 */
export async function checkCaller(caller: Caller, app: AppRecord, platform: Platform): Promise<void> {
  const { authorization } = caller.headers;
  const isPublic = app.settings.disableAuth;
  const isOwner = await platform.isOwner?.(caller.socket);
  if (isPublic && isOwner !== false) return;
  if (authorization === undefined) {
    if (isOwner && !mayBeForeignPage(caller)) return;
    if (isOwner === false) refuse(401, 'only the user who runs this emulator can call apps without a token');
  }
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

/** Old browsers do not tell which page sends a request. */
function mayBeForeignPage({ headers }: Caller): boolean {
  return /^Mozilla\//.test(headers['user-agent'] ?? '') && headers['sec-fetch-site'] === undefined;
}
