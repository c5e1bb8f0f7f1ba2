import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { decodeIfValid } from '../../../platform/contract/address.ts';
import { decodeSegment } from '../../http/read-request.ts';
import { jsonReply, refuse, type ServerReply } from '../../http/reply.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { ProcessStartError } from '../../running/processes/process.ts';
import { CallAbortedError, ReplicaError } from '../../running/replicas/replica.ts';
import { checkGrant, identifyCaller } from '../account/access.ts';
import type { Platform } from '../platform.ts';

/** The app of `/v4/{project}/{name}/…`, and the rest of the path. */
export function findCalledApp({ pathname }: URL, { store }: Platform): { app: AppRecord; path: string[] } {
  const [first = '', second = '', ...rest] = pathname.split('/').slice(2);
  const project = decodeSegment(first);
  const name = decodeSegment(second);
  const app = store.apps.get(`${project}-${name}`);
  if (app?.project !== project) refuse(404, `app ${name} not found in project ${project}`);
  // An app's own server may use escapes of another encoding than UTF-8.
  return { app, path: rest.map(decodeIfValid) };
}

/** The path and query that the app's own server gets: without the platform's parameters. */
export function pathBelowApp({ pathname, search, searchParams }: URL): string {
  const below = `/${pathname.split('/').slice(4).join('/')}`;
  if (!searchParams.has('async') && !searchParams.has('webhookEndpoint')) return below + search;
  const query = new URLSearchParams(searchParams);
  query.delete('async');
  query.delete('webhookEndpoint');
  return query.size > 0 ? `${below}?${query}` : below;
}

/** A private app does not get the platform's token. Each is told of its path: what it calls `/` is not at the root. */
export function forwardedHeaders(app: AppRecord, { authorization, host: _, ...headers }: IncomingHttpHeaders) {
  const prefix = `/v4/${app.project}/${encodeURIComponent(app.name)}`;
  return {
    ...headers,
    'x-forwarded-prefix': prefix,
    ...(app.settings.disableAuth && authorization && { authorization }),
  };
}

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

/** The app did not get ready for a call. */
export class AppStartError extends Error {}

export function timeoutError(seconds: number): CallAbortedError {
  return new CallAbortedError(
    `the app did not respond within its response_grace_period of ${seconds} seconds`,
    504,
    504,
  );
}

/** The reply to a call that failed outside of the app's own code. */
export function errorReply(error: unknown, run: string): ServerReply {
  if (error instanceof CallAbortedError) return jsonReply({ run_id: run, message: error.message }, error.replyStatus);
  if (error instanceof AppStartError || error instanceof ProcessStartError)
    return jsonReply({ run_id: run, message: error.message }, 503);
  if (error instanceof ReplicaError)
    return jsonReply({ run_id: run, message: `the app failed: ${error.message}` }, 502);
  const text = error instanceof Error ? error.stack : error;
  return jsonReply({ run_id: run, message: `the emulator has a bug: ${text}` }, 500);
}
