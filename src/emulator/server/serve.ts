import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../../platform/contract/endpoint.ts';
import { endpoints } from '../../platform/contract/index.ts';
import { checkAccess } from '../endpoints/account/access.ts';
import { activationPath, handleActivation } from '../endpoints/account/activation.ts';
import type { Platform } from '../endpoints/platform.ts';
import {
  decodeSegment,
  parseAs,
  parseRequestTarget,
  readForm,
  readJson,
  readMultipart,
  requireObject,
  withoutNulls,
} from '../http/read-request.ts';
import type { ByteStream } from '../http/reply.ts';
import { endWithReply, jsonReply, RefusalError, refuse, type ServerReply, textReply } from '../http/reply.ts';
import { storageTarget } from '../http/storage-target.ts';
import { dashboardPath } from '../model/dashboard-address.ts';
import { recordRequest } from '../model/recorded-request.ts';
import { applyFault } from './apply-fault.ts';
import { controlPath, handleControl } from './control.ts';
import { isCallsPage, showCalls } from './dashboard/calls-handler.ts';
import { showDashboard } from './dashboard/handler.ts';
import { type IncomingRequest, sendReply } from './exchange.ts';
import { lateView } from './late-view.ts';
import { endpointHandlers, matchRoute, storageHandlers } from './routes.ts';

/** Records a request, then replies or applies a fault. Rejects when the connection breaks. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  platform: Platform,
): Promise<void> {
  let url: URL;
  try {
    url = parseRequestTarget(request, platform.url);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    endWithReply(response, error.reply);
    return;
  }
  if (!url.pathname.startsWith(controlPath)) await platform.changes.ended;
  const route = matchRoute(request.method ?? '', url.pathname);
  const stored = storageTarget(url);
  const target = stored ?? route?.name;
  const call = recordRequest(platform, request, url, target);
  response.setHeader('x-request-id', `req-${call.number}`);
  response.setHeader('date', new Date(platform.now()).toUTCString());

  const incoming = { request, url, route, call };
  const taken = target && platform.faults.take(target);
  const [fault, lateMs] = typeof taken === 'object' && 'lateMs' in taken ? [undefined, taken.lateMs] : [taken];
  const exchange = {
    ...incoming,
    response,
    handle: (body: ByteStream = request) =>
      replyTo(incoming, () =>
        stored
          ? storageHandlers[stored]({ request, url, body, call }, platform)
          : serveEndpoint(incoming, body, platform, lateMs),
      ),
  };
  if (fault) await applyFault(exchange, fault, platform);
  else await sendReply(exchange, await exchange.handle());
}

async function replyTo({ request }: IncomingRequest, work: () => Promise<ServerReply>): Promise<ServerReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusalError) return error.reply;
    // The client disconnected: nobody would receive a reply.
    if (request.socket.destroyed) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && diskErrors.has(code)) {
      return jsonReply({ message: `the emulator cannot read or write its data: ${message}` }, 507);
    }
    return jsonReply({ message: `the emulator has a bug: ${error instanceof Error ? error.stack : error}` }, 500);
  }
}

/** Errors that are not bugs of the emulator. */
const diskErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG']);

/** Parses a request and encodes its reply as the contract says. */
async function serveEndpoint(
  { request, url, route, call }: IncomingRequest,
  content: ByteStream,
  platform: Platform,
  lateMs: number | undefined,
): Promise<ServerReply> {
  if (url.pathname === activationPath) return handleActivation(request, url, platform);
  if (isCallsPage(url)) return showCalls(request, url, platform);
  if (url.pathname.startsWith(dashboardPath)) return showDashboard(request.method, url, platform);
  if (url.pathname.startsWith(controlPath)) return handleControl(request, url, platform);
  const { name, path } = route ?? refuse(404, `route not found: ${call.method} ${call.path}`);
  if (name === 'invoke') return endpointHandlers.invoke({ request, url, body: content, call }, platform);
  const { query, body, form, reply, anonymous }: Endpoint = endpoints[name];
  const pathParams = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, decodeSegment(value)]));
  const caller = anonymous ? undefined : checkAccess(request.headers.authorization, pathParams.project, platform);
  const sent = body && (await bodyReaders[String(form)]?.(request));
  // Endpoints without a token receive credentials: those are not recorded.
  if (body && !anonymous) call.body = sent;
  const params = {
    ...pathParams,
    ...(query && { query: parseAs(query, Object.fromEntries(url.searchParams)) }),
    ...(body && { body: parseAs(body, withoutNulls(requireObject(sent))) }),
  };
  const view = lateView(platform, name, pathParams, lateMs);
  const result = await endpointHandlers[name](params as never, view, caller);
  if (reply === 'nothing' && result === undefined) return textReply('OK');
  return reply === 'text' ? textReply(String(result)) : jsonReply(result);
}

/** By the endpoint's `form`. */
const bodyReaders: Record<string, (request: IncomingMessage) => Promise<unknown>> = {
  false: readJson,
  true: readForm,
  multipart: readMultipart,
};
