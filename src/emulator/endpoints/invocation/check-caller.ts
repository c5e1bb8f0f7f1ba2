import type { IncomingMessage } from 'node:http';
import { refuse } from '../../http/reply.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { checkGrant, identifyCaller } from '../account/access.ts';
import type { Platform } from '../platform.ts';

type CallRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Authorizes a call of an app. An app is public by default; a private app needs a key of the project, or the token of a
 * service account with a grant. A person's login token is not accepted (docs/platform.md#invocation).
 */
export async function checkCaller(request: CallRequest, app: AppRecord, platform: Platform): Promise<void> {
  const { authorization } = request.headers;
  const isPublic = app.settings.disableAuth;
  const isOwner = await platform.isOwner?.(request.socket);
  if (isPublic && isOwner !== false) return;
  if (authorization === undefined) {
    if (isOwner && !mayBeForeignPage(request)) return;
    if (isOwner === false) refuse(401, 'only the user who runs this emulator can call apps without a token');
  }
  const caller = identifyCaller(authorization, platform);
  if (caller.kind === 'user') {
    refuse(401, 'a login token cannot call apps: use an inference key or the token of a service account');
  }
  checkGrant(caller, app.project, platform);
}

/**
 * Old browsers do not tell which page sends a request, and no browser does for WebSockets, but for those all name its
 * origin, which was checked.
 */
function mayBeForeignPage({ headers }: CallRequest): boolean {
  const { origin, 'user-agent': program = '', 'sec-fetch-site': site } = headers;
  return /^Mozilla\//.test(program) && site === undefined && origin === undefined;
}
