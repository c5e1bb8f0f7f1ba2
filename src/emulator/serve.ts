import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/index.ts';
import { checkAccess } from './access.ts';
import { noteCall } from './calls.ts';
import { decodeSegment, readAs, readJson, withoutNulls } from './decode.ts';
import { type Incoming, send } from './exchange.ts';
import { storagePath } from './links.ts';
import { spoil } from './mischief.ts';
import type { Platform } from './platform.ts';
import { json, Refusal, type Reply, refuse, text } from './reply.ts';
import { handlers, type Match, match } from './routes.ts';
import { receiveUpload } from './uploads.ts';

/** Notes a call, lets a fault have its turn, and otherwise answers. Rejects when the line breaks meanwhile. */
export async function serve(request: IncomingMessage, response: ServerResponse, platform: Platform): Promise<void> {
  const url = new URL(request.url ?? '', platform.url);
  const route = match(request.method ?? '', url.pathname);
  const call = noteCall(platform.calls, request, url, url.pathname.startsWith(storagePath) ? 'upload' : route?.name);
  response.setHeader('x-request-id', `req-${call.number}`);

  const incoming = { request, url, route, call };
  const exchange = { ...incoming, response, answer: () => answer(incoming, platform) };
  const fault = call.endpoint && platform.faults.take(call.endpoint);
  if (fault) await spoil(exchange, fault, platform.now());
  else send(exchange, await exchange.answer());
}

async function answer(incoming: Incoming, platform: Platform): Promise<Reply> {
  const { request, url, route, call } = incoming;
  try {
    if (call.endpoint === 'upload') return await receiveUpload(request, url, platform);
    if (!route) refuse(404, `no such route: ${call.method} ${call.path}`);
    return await callHandler(incoming, route, platform);
  } catch (error) {
    if (error instanceof Refusal) return error.reply;
    // The client left in the middle of its request: nobody is there to answer.
    if (request.socket.destroyed) throw error;
    return json({ message: `the emulator has a bug: ${error instanceof Error ? error.stack : error}` }, 500);
  }
}

/** Reads a request and writes its answer as the contract says, so that a handler sees what the caller gave. */
async function callHandler(
  { request, url, call }: Incoming,
  { name, path }: Match,
  platform: Platform,
): Promise<Reply> {
  const { query, body, reply, open }: Endpoint = endpoints[name];
  const params = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, decodeSegment(value)]));
  if (!open) checkAccess(request.headers.authorization, params.project, platform);
  if (body) call.body = await readJson(request);
  const given = {
    ...params,
    ...(query && { query: readAs(query, Object.fromEntries(url.searchParams)) }),
    ...(body && { body: readAs(body, withoutNulls(call.body)) }),
  };
  const result = await handlers[name](given as never, platform);
  if (reply === 'nothing') return text('OK');
  return reply === 'text' ? text(String(result)) : json(result);
}
