import type { IncomingMessage } from 'node:http';
import { appOfHost } from '../endpoints/apps/app-origin.ts';
import type { Platform } from '../endpoints/platform.ts';
import { isAppHost } from '../http/origin.ts';
import { parseRequestTarget } from '../http/read-request.ts';
import { jsonReply, RefusalError, type ServerReply } from '../http/reply.ts';

/**
 * Makes of a request to the origin of an app one to its path on the platform: every path there is the app's, and none
 * leads out of it. The reply to one that cannot be, undefined otherwise.
 */
export function enterOwnOrigin(request: IncomingMessage, { store, url: base }: Platform): ServerReply | undefined {
  const { host = '' } = request.headers;
  if (!isAppHost(host)) return undefined;
  const app = appOfHost(host, store);
  if (!app) return jsonReply({ message: `no app here has the address ${host}` }, 404);
  try {
    // Dots are resolved before the path of the app is prepended.
    const { pathname, search } = parseRequestTarget(request, base);
    request.url = `/v4/${encodeURIComponent(app.project)}/${encodeURIComponent(app.name)}${pathname}${search}`;
    return undefined;
  } catch (error) {
    if (error instanceof RefusalError) return error.reply;
    throw error;
  }
}
