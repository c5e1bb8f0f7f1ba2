import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RawCall } from '../api/client.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { jsonText } from '../output/json.ts';

export interface RawRequest {
  method: string;
  path: string;
  query: Pair[];
  /** `name=text` or `name:=json`; they make the body. */
  fields: Pair[];
  /** A file with the body; `-` is stdin. */
  input?: string | undefined;
  paginate?: boolean | undefined;
}

type Pair = [name: string, value: string];

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed where it is JSON. */
  body: unknown;
  text: string;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Any call to the management API, with this user's token. The path cannot lead elsewhere: it is put behind the
 * platform's own address. Throws UsageError for a request that makes no sense.
 */
export async function callPlatform(context: Context, request: RawRequest): Promise<RawAnswer> {
  const { method, query, paginate } = request;
  if (!methods.includes(method)) throw new UsageError(`${method} is no method`, { why: `it is ${methods.join(', ')}` });
  if (!request.path.startsWith('/')) {
    throw new UsageError(`"${request.path}" is no path`, {
      why: "a path begins with /; the address is the platform's",
    });
  }
  if (paginate && method !== 'GET') throw new UsageError('--paginate goes with GET');
  const path = request.path.replaceAll('{project}', () => encodeURIComponent(context.project));
  const body = await bodyOf(context, request);
  const first = await answer(context, { method, path, query, body });
  return paginate ? withAllPages(context, { method, path, query, body: undefined }, first) : first;
}

async function answer(context: Context, call: RawCall): Promise<RawAnswer> {
  const { status, headers, body: text } = await context.raw(call);
  return { status, headers, body: parsed(text), text };
}

/** The platform's pages end with a token for the next (wire §1b); their lists are joined, the rest is the first page's. */
async function withAllPages(context: Context, call: RawCall, first: RawAnswer): Promise<RawAnswer> {
  let joined = first.body as Record<string, unknown> | null;
  for (let token = nextOf(joined); token; ) {
    const page = await answer(context, { ...call, query: [...call.query, ['nextToken', token]] });
    const next = page.body as Record<string, unknown> | null;
    joined = join(joined, next);
    const following = nextOf(next);
    token = following === token ? undefined : following;
  }
  const { nextToken: _, nextPageToken: __, ...rest } = joined ?? {};
  const body = Array.isArray(first.body) ? first.body : rest;
  return { ...first, body, text: jsonText(body, 2) };
}

function nextOf(page: Record<string, unknown> | null): string | undefined {
  const token = page?.nextToken ?? page?.nextPageToken;
  return typeof token === 'string' && token ? token : undefined;
}

function join(one: Record<string, unknown> | null, other: Record<string, unknown> | null): Record<string, unknown> {
  const lists = Object.entries(other ?? {}).filter(([, value]) => Array.isArray(value));
  const joined = lists.map(([name, more]) => [name, [...((one?.[name] as unknown[]) ?? []), ...(more as unknown[])]]);
  return { ...one, ...Object.fromEntries(joined) };
}

async function bodyOf(context: Context, { method, fields, input }: RawRequest): Promise<string | undefined> {
  if (input === undefined && fields.length === 0) return undefined;
  if (method === 'GET') throw new UsageError('a GET has no body', { fix: 'use --query name=value' });
  if (input !== undefined && fields.length > 0) throw new UsageError('the body is --input or --field, not both');
  if (input === '-') return context.readStdin();
  if (input !== undefined) return readFile(resolve(context.cwd, input), 'utf8').catch((cause) => noFile(input, cause));
  return JSON.stringify(Object.fromEntries(fields.map(field)));
}

function noFile(input: string, cause: unknown): never {
  throw new UsageError(`${input} cannot be read`, { why: (cause as Error).message, cause });
}

/** `name=text`, or `name:=json`: the colon arrives as the end of the name. */
function field([name, value]: Pair): [string, unknown] {
  if (!name.endsWith(':')) return [name, value];
  try {
    return [name.slice(0, -1), JSON.parse(value)];
  } catch (cause) {
    throw new UsageError(`--field ${name}=${value} is not JSON`, { fix: `--field ${name.slice(0, -1)}=text`, cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
