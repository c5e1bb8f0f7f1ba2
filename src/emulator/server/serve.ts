import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/index.ts';
import { checkAccess } from '../account/access.ts';
import { activation, activationPath } from '../account/activation.ts';
import { spoil } from '../faults/injection.ts';
import type { Platform } from '../platform.ts';
import { storageTarget } from '../storage/target.ts';
import { type Incoming, send } from './exchange.ts';
import {
  decodeSegment,
  objectIn,
  readAs,
  readForm,
  readJson,
  readParts,
  targetOf,
  withoutNulls,
} from './read-request.ts';
import { noteCall } from './recorded-request.ts';
import type { Body } from './reply.ts';
import { endEarly, json, Refusal, type Reply, refuse, text } from './reply.ts';
import { handlers, match, storageHandlers } from './routes.ts';

/** Records a call, applies a fault or answers. Rejects when the connection breaks. */
export async function serve(request: IncomingMessage, response: ServerResponse, platform: Platform): Promise<void> {
  let url: URL;
  try {
    url = targetOf(request, platform.url);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    endEarly(response, error.reply);
    return;
  }
  const route = match(request.method ?? '', url.pathname);
  const stored = storageTarget(url);
  const target = stored ?? route?.name;
  const call = noteCall(platform.calls, request, url, target);
  response.setHeader('x-request-id', `req-${call.number}`);

  const incoming = { request, url, route, call };
  const exchange = {
    ...{ ...incoming, response },
    answer: (body: Body = request) =>
      answer(incoming, () =>
        stored ? storageHandlers[stored]({ request, url, body, call }, platform) : manage(incoming, body, platform),
      ),
  };
  const fault = target && platform.faults.take(target);
  if (fault) await spoil(exchange, fault, platform);
  else await send(exchange, await exchange.answer());
}

async function answer({ request }: Incoming, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error.reply;
    // The client left in the middle of its request: nobody is there to answer.
    if (request.socket.destroyed) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && diskErrors.has(code)) {
      return json({ message: `the emulator cannot read or write its data: ${message}` }, 507);
    }
    return json({ message: `the emulator has a bug: ${error instanceof Error ? error.stack : error}` }, 500);
  }
}

/** Causes that are in the machine and not in the emulator's code. */
const diskErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'EFBIG']);

/** Reads a request and writes its answer as the contract says, so that a handler sees what the caller gave. */
async function manage({ request, url, route, call }: Incoming, content: Body, platform: Platform): Promise<Reply> {
  if (url.pathname === activationPath) return activation(request, url, platform);
  const { name, path } = route ?? refuse(404, `no such route: ${call.method} ${call.path}`);
  if (name === 'invoke') return handlers.invoke({ request, url, body: content, call }, platform);
  const { query, body, form, reply, anonymous }: Endpoint = endpoints[name];
  const params = Object.fromEntries(Object.entries(path).map(([key, value]) => [key, decodeSegment(value)]));
  if (!anonymous) checkAccess(request.headers.authorization, params.project, platform);
  const sent = body && (await readers[String(form)]?.(request));
  // What comes without a token is the way to one.
  if (body && !anonymous) call.body = sent;
  const given = {
    ...params,
    ...(query && { query: readAs(query, Object.fromEntries(url.searchParams)) }),
    ...(body && { body: readAs(body, withoutNulls(objectIn(sent))) }),
  };
  const result = await handlers[name](given as never, platform);
  if (reply === 'nothing') return text('OK');
  return reply === 'text' ? text(String(result)) : json(result);
}

/** How a body is read, by what kind of form it is. */
const readers: Record<string, (request: IncomingMessage) => Promise<unknown>> = {
  false: readJson,
  true: readForm,
  multipart: readParts,
};
