import { readNamedFile } from '../kernel/disk/index.ts';
import { UsageError } from '../kernel/errors.ts';
import { isRecord, parseJson, parseJsonOr, stringifyJson, withoutMark } from '../kernel/json-text.ts';
import { hidden, hideCredentials } from '../kernel/output/redacted-json.ts';
import type { Context } from './context.ts';
import { decodeIfValid } from './contract/address.ts';
import { toPathSegment } from './contract/endpoint.ts';

interface RawRequest {
  method: string;
  path: string;
  query: NamedValue[];
  /** `name=text` or `name:=json`: fields of the JSON body. */
  fields: NamedValue[];
  /** A file with the body; `-` is stdin. */
  input?: string | undefined;
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
  const { method, query } = request;
  if (!methods.includes(method))
    throw new UsageError(`invalid HTTP method "${method}"`, { fix: `use ${methods.join(', ')}` });
  if (!request.path.startsWith('/')) {
    throw new UsageError(`invalid path "${request.path}": must begin with /`, {
      why: "the path is appended to the platform's URL",
    });
  }
  checkSegments(request.path);
  const path = request.path.replaceAll('{project}', () => toPathSegment(context.project, 'project'));
  const body = await readBody(context, request);
  if (method === 'DELETE') await context.prompt.confirm(`Send DELETE ${path}?`);
  const { status, headers, body: text } = await context.raw({ method, path, query, body });
  const reply = { statusCode: status, headers, body: parseJsonOr(text, text), text };
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
  const names = isRecord(reply.body) ? Object.keys(reply.body) : undefined;
  const noValues = names ? Object.fromEntries(names.map((name) => [name, hidden])) : hidden;
  const body = isOfSecrets(path) ? noValues : reply.body;
  const { value, text } = hideCredentials(body, secrets);
  const headers = hideCredentials(reply.headers, secrets).value as RawReply['headers'];
  return { ...reply, headers, body: value, text };
}

/** Whether the endpoint returns values by name, such as `/v2/projects/{project}/secrets`, in any spelling of its path. */
function isOfSecrets(path: string): boolean {
  const { pathname } = new URL(`https://platform.invalid${path}`);
  return pathname.split('/').some((segment) => decodeIfValid(segment).toLowerCase() === 'secrets');
}
