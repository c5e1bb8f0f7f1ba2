import { gantryCommand } from '../../kernel/command-line.ts';
import { AuthError, DeniedError, type GantryError, NotFoundError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { listApps } from '../contract/apps.ts';
import {
  type CallParameters,
  type DecodedReply,
  type Endpoint,
  fillPath,
  type Host,
  type Route,
  splitRoute,
  toAppId,
} from '../contract/endpoint.ts';
import { isLongList, type UnreadableItem, unreadableItems } from '../contract/lists.ts';
import type { HttpReply } from './http-reply.ts';
import { explainLostReply, lookCommandFor } from './lost-reply.ts';
import type { MultipartFields } from './multipart.ts';
import type { RemoteClock } from './remote-clock.ts';
import { readReply, rejectWebPage } from './reply.ts';
import { errorFromReply, listCommandFor } from './reply-error.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { wasRefused } from './transient-failures.ts';
import { ConnectionError, type Send } from './transport.ts';

export interface ApiOptions extends RetryOptions {
  addresses: Record<Host, { value: string }>;
  /** Called with each request. If the server `refused` one, returns another, or the same if there is none. */
  token: (refused?: string) => string | Promise<string>;
  headers: Record<string, string>;
  send: Send;
  silenceMs: number;
  now: () => number;
  elapsed: () => number;
  clock?: RemoteClock;
  /** Receives one line per request: method, path, status and time, but no header, query or body. */
  trace: (line: string) => void;
  /** Receives the list items of a reply that could not be read; empty if all could. */
  onUnreadable?: (route: Route, url: string, items: UnreadableItem[]) => void;
}

/** Calls an endpoint of the contract: encodes the request, sends it with retries and decodes the reply. */
export type Api = <E extends Endpoint>(endpoint: E, parameters: CallParameters<E>) => Promise<DecodedReply<E>>;

/** A request that may not be in the contract. The path is relative to the management URL; the reply is text. */
export interface RawCall {
  method: string;
  path: string;
  query: [name: string, value: string][];
  body: string | undefined;
}

export function createApi(options: ApiOptions): Api {
  return (endpoint, parameters) => {
    const reply = withRetries(
      () => call(endpoint, parameters as Record<string, unknown>, options),
      (error) => mayRepeat(endpoint, error),
      options,
    );
    const look = lookCommandFor(endpoint, parameters);
    return (look ? reply.catch((error) => raise(explainLostReply(error, look))) : reply) as never;
  };
}

/** Sends any authenticated request, with the same retries and errors as endpoints. */
export function callRaw({ method, path, query, body }: RawCall, options: ApiOptions): Promise<HttpReply> {
  const url = new URL(options.addresses.management.value + path);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const retryable = !/^(POST|PATCH)$/.test(method);
  const attempt = async () => {
    const reply = await exchange({ method, url, body, type: jsonType, accept: '*/*', open: false }, options);
    rejectWebPage({ ...reply, host: url.host });
    return reply;
  };
  const reply = withRetries(attempt, (error) => mayRepeat({ retryable }, error), options);
  return retryable ? reply : reply.catch((error) => raise(explainLostReply(error, gantryCommand`api GET ${path}`)));
}

async function call(endpoint: Endpoint, parameters: Record<string, unknown>, options: ApiOptions): Promise<unknown> {
  const { method, path } = splitRoute(endpoint.route);
  const url = new URL(options.addresses[endpoint.host].value + fillPath(path, parameters));
  for (const [name, value] of Object.entries(parameters.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const accept = endpoint.reply === 'text' ? '*/*' : 'application/json';
  const allowsChunks = typeof endpoint.reply === 'object' && isLongList(endpoint.reply);
  const { anonymous: open } = endpoint;
  const message = { method, url, ...(await encode(endpoint, parameters.body)), accept, open, allowsChunks };
  const sent = exchange(message, options);
  const reply = await sent.catch(async (error) => {
    raise(explained(await asMissing(error, endpoint, parameters, options), endpoint, parameters));
  });
  const result = readReply(endpoint, { ...reply, host: url.host });
  options.onUnreadable?.(endpoint.route, url.href, unreadableItems(result));
  return result;
}

/** The platform denies (403) what its authorizer does not know. Not for a POST, which may be about to create it. */
async function asMissing(
  error: unknown,
  { route }: Endpoint,
  { project, app }: Record<string, unknown>,
  options: ApiOptions,
): Promise<unknown> {
  if (!(error instanceof DeniedError && /^(?!POST).*\/apps\/\{app\}/.test(route))) return error;
  const listing = call(listApps, { project, query: { includeEphemeral: true } }, options);
  const apps = (await listing.catch(() => undefined)) as DecodedReply<typeof listApps> | undefined;
  const id = toAppId(String(project), String(app));
  if (!apps || unreadableItems(apps).length > 0 || apps.some((listed) => listed.id === id)) return error;
  return new NotFoundError(`app ${app} not found in ${project}: ${error.message}`, error.facts);
}

/** With what was refused, which the platform may not say, and for a 404 with the command that lists the others. */
function explained(error: unknown, { route }: Endpoint, parameters: Record<string, unknown>): unknown {
  if (error instanceof DeniedError) error.facts.refused = `the token in use is not allowed to ${route}`;
  const fix = error instanceof NotFoundError ? listCommandFor(route, parameters, error.message) : undefined;
  if (fix) (error as NotFoundError).facts.fix ??= fix;
  return error;
}

function raise(error: unknown): never {
  throw error;
}

const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';

async function encode({ form, body: schema }: Endpoint, body: unknown): Promise<Pick<Message, 'body' | 'type'>> {
  if (!schema) return { body: undefined, type: jsonType };
  if (form === 'multipart') return (await import('./multipart.ts')).encodeMultipart(body as MultipartFields);
  if (form) return { body: new URLSearchParams(body as Record<string, string>).toString(), type: formType };
  return { body: body === undefined ? undefined : stringifyJson(body), type: jsonType };
}

interface Message {
  method: string;
  url: URL;
  body: string | Buffer | undefined;
  type: string;
  accept: string;
  open: boolean;
  allowsChunks?: boolean;
}

/** Sends a request with the token, unless it is `open`. After a 401, sends it once more with a new token. */
async function exchange(message: Message, options: ApiOptions): Promise<HttpReply> {
  if (message.open) return send(message, undefined, options);
  const token = await options.token();
  try {
    return await send(message, token, options);
  } catch (error) {
    const other = error instanceof AuthError ? await options.token(token) : token;
    if (other === token) throw error;
    return send(message, other, options);
  }
}

/** Sends one request. Throws an error for a status other than 2xx. */
async function send(
  { method, url, body, type, accept, allowsChunks = false }: Message,
  token: string | undefined,
  options: ApiOptions,
): Promise<HttpReply> {
  const started = options.elapsed();
  const reply = await options.send({
    method,
    url,
    headers: {
      ...options.headers,
      accept,
      'accept-encoding': 'identity',
      // A copy that a cache kept may have been true at some other time.
      'cache-control': 'no-cache',
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body,
    signal: options.signal,
    silenceMs: options.silenceMs,
    allowsChunks,
  });
  options.clock?.observe(reply.headers);
  options.trace(`${method} ${url.pathname} ${reply.status} ${options.elapsed() - started} ms`);
  if (reply.status < 200 || reply.status > 299) throw errorFromReply(reply, options.now());
  return reply;
}

/** Retries GET, PUT and DELETE always, POST and PATCH if a repeat is harmless or the first had provably no effect. */
function mayRepeat(endpoint: Pick<Endpoint, 'retryable'>, error: GantryError): boolean {
  if (endpoint.retryable === 'never') return false;
  if (!error.facts.retryable) return false;
  if (error instanceof ConnectionError) return endpoint.retryable || !error.mayHaveArrived;
  return endpoint.retryable || wasRefused(error.facts);
}
