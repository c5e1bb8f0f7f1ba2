import { type Endpoint, splitRoute } from '../../src/platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../src/platform/contract/index.ts';
import type { Draw } from '../chaos/draw.js';
import { mutate, oddBodies, oddText, oddValue, validValue } from './values.ts';

/** A request to the emulator. */
export interface FuzzCase {
  name: EndpointName | 'other';
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body?: string | FormData;
}

/** What exists: ids for path parameters, tokens, and addresses without an endpoint. */
export interface FuzzTarget {
  path: Record<string, string>;
  /** Values of fields of queries and bodies, by name. */
  fields: Record<string, unknown>;
  tokens: readonly string[];
  others: readonly string[];
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const names = Object.keys(endpoints) as EndpointName[];

/** A request that is valid, or nearly so, or not at all. */
export function drawCase(random: Draw, target: FuzzTarget): FuzzCase {
  if (random.chance(0.08)) return drawOther(random, target);
  const name = random.pick(names);
  const { route, query, body, form }: Endpoint = endpoints[name];
  const { method, path } = splitRoute(route);
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    random.chance(0.85) ? encodeURIComponent(target.path[parameter] ?? 'x') : encode(oddText(random)),
  );
  const sent = random.chance(0.92) ? method : random.pick(methods);
  const given = body
    ? { body: drawBody(body, form, random, target) }
    : random.chance(0.1) && { body: random.pick(oddBodies) };
  return {
    name,
    method: sent,
    path: `${filled}${drawQuery(query, random, target)}`,
    headers: drawHeaders(random, target, given ? given.body : undefined),
    ...(sent !== 'GET' && sent !== 'HEAD' && given),
  };
}

/** Storage, the pages of logins and of the dashboard, sockets, and addresses that do not exist. */
function drawOther(random: Draw, target: FuzzTarget): FuzzCase {
  const method = random.pick(methods);
  const extra = random.chance(0.5) ? `${encode(oddText(random))}` : '';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return {
    name: 'other',
    method,
    path: `${random.pick(target.others)}${extra}`,
    headers: drawHeaders(random, target, undefined),
    ...(hasBody && { body: random.pick(oddBodies) }),
  };
}

function drawQuery(schema: Endpoint['query'], random: Draw, { fields }: FuzzTarget): string {
  const valid = schema ? (validValue(schema, random, fields) as Record<string, unknown>) : {};
  const drawn = random.chance(0.5) ? valid : Object(mutate(valid, random));
  const query = new URLSearchParams(
    Object.entries(drawn).map(([key, value]): [string, string] => [wellFormed(key), wellFormed(asText(value))]),
  );
  if (random.chance(0.1)) query.append(random.pick([...query.keys(), 'x']), wellFormed(oddText(random)));
  return query.size > 0 ? `?${query}` : '';
}

function drawBody(schema: unknown, form: Endpoint['form'], random: Draw, { fields }: FuzzTarget): string | FormData {
  if (random.chance(0.1)) return random.pick(oddBodies);
  const valid = validValue(schema, random, fields);
  const drawn = random.chance(0.4) ? valid : mutate(valid, random);
  if (form === false) return JSON.stringify(drawn) ?? '';
  const entries = Object.entries(Object(drawn)).map(([key, value]): [string, unknown] => [wellFormed(key), value]);
  if (form === true)
    return new URLSearchParams(
      entries.map(([key, value]): [string, string] => [key, wellFormed(asText(value))]),
    ).toString();
  const parts = new FormData();
  for (const [key, value] of entries) {
    if (key === 'data' || key === 'file')
      parts.append(key, new Blob([String(fields[key] ?? oddValue(random))]), oddText(random));
    else parts.append(key, wellFormed(asText(value)));
  }
  return parts;
}

function drawHeaders(random: Draw, { tokens }: FuzzTarget, body: unknown): Record<string, string> {
  // Of another type, a JSON body is refused before it is read.
  const isJson = random.chance(0.85);
  const type = isJson ? 'application/json' : random.pick(['multipart/form-data; boundary=x', 'text/plain', '']);
  const token = random.chance(0.85) ? tokens[0] : random.pick([...tokens, '', 'x', 'a.b.c']);
  return {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(type && !(body instanceof FormData) && { 'content-type': type }),
  };
}

/** `String` calls the `toString` that an odd object may have. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A lone half of a surrogate pair cannot be encoded. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function encode(text: string): string {
  return encodeURIComponent(wellFormed(text));
}
