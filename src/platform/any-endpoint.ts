import { readNamedFile } from '../kernel/disk/index.ts';
import { UnavailableError, UsageError } from '../kernel/errors.ts';
import { isRecord, parseJson, parseJsonOr, stringifyJson, withoutMark } from '../kernel/json-text.ts';
import { count } from '../kernel/output/format.ts';
import { hidden, hideCredentials } from '../kernel/output/redacted-json.ts';
import type { RawCall } from './api/client.ts';
import type { Context } from './context.ts';
import { decodeIfValid } from './contract/address.ts';
import { toPathSegment } from './contract/endpoint.ts';
import { type ListPage, type PagePosition, readPages } from './replies/index.ts';

interface RawRequest {
  method: string;
  path: string;
  query: NamedValue[];
  /** `name=text` or `name:=json`: fields of the JSON body. */
  fields: NamedValue[];
  /** A file with the body; `-` is stdin. */
  input?: string | undefined;
  paginate?: boolean | undefined;
}

type NamedValue = [name: string, value: string];

interface RawReply {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
  text: string;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Makes any call to the management API with the user's token. Throws UsageError for an invalid request. */
export async function callPlatform(context: Context, request: RawRequest): Promise<RawReply> {
  const { method, query, paginate } = request;
  if (!methods.includes(method))
    throw new UsageError(`invalid HTTP method "${method}"`, { fix: `use ${methods.join(', ')}` });
  if (!request.path.startsWith('/')) {
    throw new UsageError(`invalid path "${request.path}": must begin with /`, {
      why: "the path is appended to the platform's URL",
    });
  }
  checkSegments(request.path);
  if (paginate && method !== 'GET') throw new UsageError('--paginate requires GET');
  const path = request.path.replaceAll('{project}', () => toPathSegment(context.project, 'project'));
  const body = await readBody(context, request);
  const first = await sendCall(context, { method, path, query, body });
  if (paginate) checkWhole(first);
  const reply = paginate ? await withAllPages(context, { method, path, query, body: undefined }, first) : first;
  return context.isForModel ? hideSecrets(reply, path, context.secrets) : reply;
}

/** A URL has no such segments: the request would go to another path than the one that was typed. */
function checkSegments(path: string): void {
  const [place = ''] = path.split(/[?#]/);
  const relative = place.split(/[/\\]/).find((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  if (relative !== undefined)
    throw new UsageError(`invalid path "${path}": "${relative}" leads to another one`, {
      fix: 'write the path in full',
    });
}

async function sendCall(context: Context, call: RawCall): Promise<RawReply> {
  const { status, headers, body: text } = await context.raw(call);
  return { statusCode: status, headers, body: parseJsonOr(text, text), text };
}

function checkWhole({ statusCode }: RawReply): void {
  if (statusCode === 200) return;
  throw new UnavailableError(`the platform did not send a whole page (HTTP ${statusCode})`, { status: statusCode });
}

/** Joins all pages; the rest is of the first. They page by a token or an offset (spec 4.6): what gives new items. */
async function withAllPages(context: Context, call: RawCall, first: RawReply): Promise<RawReply> {
  if (!isRecord(first.body) || !Object.values(first.body).some(Array.isArray)) return first;
  const read = async (position: PagePosition | undefined) => {
    if (!position) return toPage(first.body);
    const next = await sendCall(context, callForPage(call, position));
    checkWhole(next);
    return toPage(next.body);
  };
  const { found, isWhole } = await readAllItems(context, read);
  if (!isWhole) context.progress.warn('the platform announced more items than it returned; some may be missing');
  const { nextToken: _, nextPageToken: __, ...rest } = first.body;
  // True for the first page only.
  if (rest.hasMore === true) delete rest.hasMore;
  const names = new Set(found.map(({ name }) => name));
  const joined = [...names].map((list) => [list, found.filter(({ name }) => name === list).map(({ value }) => value)]);
  const body = { ...rest, ...Object.fromEntries(joined) };
  return { ...first, body, text: stringifyJson(body, 2) };
}

async function readAllItems(
  { progress }: Context,
  read: (position: PagePosition | undefined) => Promise<ListPage<ListItem>>,
) {
  const found: ListItem[] = [];
  const step = progress.step('Reading all pages');
  const fix = 'omit --paginate, or filter the list with --query';
  try {
    const pages = readPages({ read, key: ({ key }) => key, by: 'token', fix });
    let next = await pages.next();
    for (; !next.done; next = await pages.next()) {
      for (const item of next.value.items) found.push(item);
      step.update({ text: count(found.length, 'item') });
    }
    return { found, isWhole: next.value };
  } finally {
    step.clear();
  }
}

interface ListItem {
  name: string;
  value: unknown;
  /** Identifies the item across pages, by its id if it has one. Equal items of one page are numbered. */
  key: string;
}

function toPage(body: unknown): ListPage<ListItem> {
  const { nextToken, nextPageToken, total, hasMore, ...rest } = isRecord(body) ? body : {};
  const token = [nextToken, nextPageToken].find((value) => typeof value === 'string' && value !== '');
  return {
    items: Object.entries(rest).flatMap(([name, list]) => (Array.isArray(list) ? toListItems(name, list) : [])),
    nextToken: hasMore === false ? undefined : (token as string | undefined),
    // More pages without a count or a token: the total is unknown.
    total: typeof total === 'number' ? total : hasMore === true && !token ? Number.POSITIVE_INFINITY : undefined,
  };
}

function toListItems(name: string, list: unknown[]): ListItem[] {
  const alike = new Map<string, number>();
  return list.map((value) => {
    // A platform that repeats its items may have given them other times meanwhile.
    const id = isRecord(value) ? value.id : undefined;
    const text = stringifyJson(typeof id === 'string' || typeof id === 'number' ? { id } : value);
    const number = alike.get(text) ?? 0;
    alike.set(text, number + 1);
    return { name, value, key: `${name} ${number} ${text}` };
  });
}

/** The same call for another page. Offsets are relative to the one of the first page. */
function callForPage(call: RawCall, position: PagePosition): RawCall {
  const began = Number(call.query.find(([name]) => name === 'offset')?.[1] ?? 0);
  const query = call.query.filter(([name]) => name !== 'offset' && name !== 'nextToken');
  if ('token' in position) return { ...call, query: [...query, ['nextToken', position.token]] };
  return { ...call, query: [...query, ['offset', String(began + position.offset)]] };
}

async function readBody(context: Context, { method, fields, input }: RawRequest): Promise<string | undefined> {
  if (input === undefined && fields.length === 0) return undefined;
  if (method === 'GET') throw new UsageError('a GET request has no body', { fix: 'use --query name=value' });
  if (input === '-') return context.readStdin();
  if (input !== undefined) return withoutMark(String(await readNamedFile(context, input)));
  return stringifyJson(Object.fromEntries(fields.map(parseField)));
}

/** `name=text`, or `name:=json`: the colon is the end of the name. */
function parseField([name, value]: NamedValue): [string, unknown] {
  if (!name.endsWith(':')) return [name, value];
  try {
    return [name.slice(0, -1), parseJson(value)];
  } catch (cause) {
    throw new UsageError(`--field ${name}=${value} is not valid JSON`, {
      fix: `--field ${name.slice(0, -1)}=text`,
      cause,
    });
  }
}

/** A reply without the values of secrets, for readers who should not get them even if they ask. Names stay. */
function hideSecrets(reply: RawReply, path: string, secrets: Context['secrets']): RawReply {
  const body = isOfSecrets(path) ? withoutValues(reply.body) : reply.body;
  const { value, text } = hideCredentials(body, secrets);
  const headers = hideCredentials(reply.headers, secrets).value as RawReply['headers'];
  return { ...reply, headers, body: value, text };
}

/** Whether the endpoint returns values by name, such as `/v2/projects/{project}/secrets`, in any spelling of its path. */
function isOfSecrets(path: string): boolean {
  const { pathname } = new URL(`https://platform.invalid${path}`);
  return pathname.split('/').some((segment) => decodeIfValid(segment).toLowerCase() === 'secrets');
}

function withoutValues(body: unknown): unknown {
  return isRecord(body) ? Object.fromEntries(Object.keys(body).map((name) => [name, hidden])) : hidden;
}
