import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { readFileOrPipeChunks, readNamedFile, readToEnd, throwUnreadable } from '../../kernel/disk/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import { parseJson, stringifyJson, withoutMark } from '../../kernel/json-text.ts';
import type { OutgoingBody } from '../../platform/api/streamed.ts';
import type { Context } from '../../platform/context.ts';
import { webhookSecretHeader } from '../../platform/contract/invocation.ts';
import type { Deadline } from '../../platform/waiting/index.ts';
import { parseInvokeArguments } from './arguments.ts';
import type { AppCall } from './call.ts';
import { type CallAuth, defaultHeaders, parseHeaders, resolveCallAuth } from './call-headers.ts';
import { resolveCallTarget } from './call-target.ts';
import type { InvokeOptions } from './invoke-options.ts';

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** What a call sends, and as whom. Throws UsageError for invalid options, AuthError. */
export async function prepareCall(
  context: Context,
  options: InvokeOptions,
  limit: Deadline | undefined,
): Promise<{ call: AppCall; auth: CallAuth }> {
  checkOptions(options);
  const { app, data, input, path, method = 'POST', stream } = options;
  const { fn, parameters } = await parseInvokeArguments(context, options.args);
  if (parameters && /^(GET|HEAD)$/.test(method)) {
    throw new UsageError(`a ${method} request has no body: put parameters in --path`);
  }
  const given = parseHeaders(options.header ?? []);
  // The secret in `Authorization: Bearer abc` is the last word.
  context.secrets.add(given.authorization?.split(' ').at(-1), given['x-api-key']);
  const target = resolveCallTarget(context, { app, fn, path });
  const defaultBody = method === 'POST' && path === undefined ? {} : undefined;
  const { content, type } = await readRequestBody(context, { parameters, data, input }, defaultBody);
  const { webhook, secret } = await resolveWebhook(context, options);
  const auth = resolveCallAuth(context, given, options.auth);
  const url = new URL(target.url);
  if (options.async || options.wait) url.searchParams.set('async', 'true');
  if (webhook) url.searchParams.set('webhookEndpoint', webhook.href);
  const headers = {
    ...defaultHeaders(type),
    ...(stream ? { accept: 'text/event-stream' } : {}),
    ...(secret ? { [webhookSecretHeader.toLowerCase()]: secret } : {}),
    ...auth.headers,
    ...given,
  };
  return { call: { target, method, url, headers, body: content, limit }, auth };
}

function checkOptions(options: InvokeOptions): void {
  const { method = 'POST', data, input, webhookSecretFile } = options;
  const rules: [isBroken: unknown, message: string, fix?: string][] = [
    [!methods.includes(method), `invalid HTTP method "${method}"`, `use ${methods.join(', ')}`],
    [/^(GET|HEAD)$/.test(method) && (data ?? input) !== undefined, `a ${method} request has no body`],
    [webhookSecretFile === '-' && (data === '-' || input === '-'), 'only one value can be read from stdin'],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new UsageError(broken[1], broken[2] ? { fix: broken[2] } : {});
}

/** The webhook that the platform sends the response to, and the secret that signs it. */
async function resolveWebhook(context: Context, { webhook, webhookSecretFile }: InvokeOptions) {
  if (!webhook) return {};
  const { parseDeliveryUrl, readWebhookSecret } = await import('../webhooks/index.ts');
  const url = parseDeliveryUrl(webhook, '--webhook');
  return { webhook: url, secret: await readWebhookSecret(context, webhookSecretFile) };
}

/** Sources of the request body. At most one is given. */
interface BodySource {
  parameters?: Record<string, unknown> | undefined;
  /** JSON, `@file` with JSON, or `-` for stdin. */
  data?: string | undefined;
  /** A file with any bytes; `-` is stdin. */
  input?: string | undefined;
}

interface RequestBody {
  content: OutgoingBody | undefined;
  type: string | undefined;
}

type BodyContext = Pick<Context, 'cwd' | 'stdin' | 'signal'>;

/** Smaller bodies are buffered, so that their length is known. */
const maxBufferedBytes = 1024 * 1024;
const chunkBytes = 256 * 1024;

/** Reads the request body, or `defaultBody` if there is no source. Throws UsageError for two sources or invalid JSON. */
async function readRequestBody(context: BodyContext, source: BodySource, defaultBody: unknown): Promise<RequestBody> {
  const { parameters, data, input } = source;
  const sources = { 'name=value': parameters, '--data': data, '--input': input };
  const given = Object.entries(sources).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot be combined: each sets the body`);
  if (input !== undefined) return { content: await openBody(context, input), type: 'application/octet-stream' };
  const body = parameters ?? defaultBody;
  if (data === undefined && body === undefined) return { content: undefined, type: undefined };
  const text = data === undefined ? stringifyJson(body) : await readData(context, data);
  return { content: Buffer.from(text), type: 'application/json' };
}

/** The JSON that `--data` says, or that is in the file it names. */
async function readData(context: BodyContext, data: string): Promise<string> {
  const file = data === '-' ? '-' : /^@(.*)$/s.exec(data)?.[1];
  const text = file === undefined ? data : withoutMark(String(await readJsonBody(context, file)));
  checkJson(text, file === undefined ? '--data' : file === '-' ? 'stdin' : file);
  return text;
}

/** JSON is checked before it is sent, so it is held in memory. */
function readJsonBody(context: BodyContext, file: string): Promise<Buffer> {
  const { stdin, signal } = context;
  return file === '-' ? readToEnd(stdin, { name: 'stdin', signal }) : readNamedFile(context, file);
}

async function openBody(context: BodyContext, file: string): Promise<OutgoingBody> {
  const { cwd, stdin, signal } = context;
  if (file === '-') return bufferIfSmall(readChunks(stdin, signal));
  const path = resolve(cwd, file);
  const stats = statFile(path, file);
  if (stats.isDirectory()) throw new UsageError(`${file} is a folder`);
  // It may never end, and the call would not either.
  if (stats.isCharacterDevice()) return readNamedFile(context, file);
  const read = () => readFileOrPipeChunks(path, signal, chunkBytes);
  return stats.size <= maxBufferedBytes ? bufferIfSmall(read()) : { length: stats.size, read };
}

function statFile(path: string, file: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    return throwUnreadable(file, path, cause);
  }
}

/** Reads up to the buffer limit. A longer body keeps that start and streams the rest when it is sent. */
async function bufferIfSmall(chunks: AsyncIterable<Uint8Array>): Promise<OutgoingBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  for (let bytes = 0; bytes <= maxBufferedBytes; ) {
    const { value, done } = await iterator.next();
    if (done) return Buffer.concat(start);
    start.push(value);
    bytes += value.length;
  }
  async function* read() {
    yield* start;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { length: undefined, read };
}

async function* readChunks(stdin: Context['stdin'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stdin instanceof Readable ? addAbortSignal(signal, stdin) : stdin)
      yield Buffer.from(chunk);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function checkJson(text: string, source: string): void {
  try {
    parseJson(text);
  } catch (cause) {
    const fix =
      source === '--data'
        ? `--data '{"name": "value"}', or name=value without --data`
        : 'use --input to send any bytes';
    throw new UsageError(`${source} is not valid JSON`, { why: (cause as Error).message, fix, cause });
  }
}
