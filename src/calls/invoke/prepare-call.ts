import { isUtf8 } from 'node:buffer';
import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { CommandLine, gantryCommand, quoteForShell, sentence } from '../../kernel/command-line.ts';
import { readFileOrPipeChunks, readNamedFile, readToEnd, throwUnreadable } from '../../kernel/disk/index.ts';
import { attempt, PendingError, UnavailableError, UsageError } from '../../kernel/errors.ts';
import { parseJson, stringifyJson, withoutMark } from '../../kernel/json-text.ts';
import { duration } from '../../kernel/output/format.ts';
import type { OutgoingBody } from '../../platform/api/streamed.ts';
import type { Context } from '../../platform/context.ts';
import { contextWith, Deadline, noteTimeout } from '../../platform/waiting/index.ts';
import { type AppCall, callOrThrow, requestTo } from './call.ts';
import { type CallTarget, defaultHeaders, parseHeaders, resolveCallAuth, resolveCallTarget } from './call-target.ts';

/**
 * Calls an app. Returns its response, of which no body was read, or an asynchronous run. Throws responses other than
 * 2xx: AppError for the app's, by status for the platform's. Throws UsageError for invalid options, before anything is
 * sent.
 */
export async function invokeApp(context: Context, options: InvokeOptions) {
  const { timeout } = options;
  let target: CallTarget | undefined;
  if (timeout !== undefined) noteTimeout(context, timeout);
  // One clock for reading the request body, the response, and the run of an asynchronous call.
  const limit =
    timeout === undefined
      ? undefined
      : new Deadline(context, timeout, (ms) => (target ? noResponseYetError(target, ms) : notSentError(ms)));
  const call = await prepareCall(limit ? contextWith(context, { signal: limit.signal }) : context, options, limit);
  target = call.target;
  const { app } = target;
  context.interruption.message = sentence`stopped waiting; the call of ${app} may still be in progress: ${gantryCommand`runs list ${app}`} shows it`;
  if (!options.async && !options.wait && !options.awaitWebhook) {
    return { response: await callOrThrow(context, call) };
  }
  const { callAndAwaitDelivery, startAsyncRun } = await import('./async-call.ts');
  if (options.awaitWebhook) return { response: await callAndAwaitDelivery(context, options, call) };
  return { run: await startAsyncRun(context, options, call) };
}

/** The `--timeout` of a call that was sent. */
export function noResponseYetError({ app, name }: CallTarget, timeoutMs: number): PendingError {
  return new PendingError(`${name} did not respond within ${duration(timeoutMs)}`, {
    why: 'the request timed out locally; the call may still be in progress',
    fix: gantryCommand`runs list ${app}`,
    details: { app },
  });
}

function notSentError(timeoutMs: number): UnavailableError {
  return new UnavailableError(`the call was not sent within ${duration(timeoutMs)}`, {
    why: 'the file or pipe with its body, or with the secret, has not ended',
  });
}

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** What a call sends, and as whom. Throws UsageError for invalid options, AuthError. */
export async function prepareCall(
  context: Context,
  options: InvokeOptions,
  limit: Deadline | undefined,
): Promise<AppCall> {
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
  const webhook = await resolveWebhook(context, options);
  const auth = resolveCallAuth(context, given, options.auth);
  const request = requestTo(target, { isAsync: Boolean(options.async || options.wait), webhook });
  const headers = {
    ...defaultHeaders(type),
    ...(stream ? { accept: 'text/event-stream' } : {}),
    ...request.headers,
    ...auth.headers,
    ...given,
  };
  return { target, method, url: request.url, headers, auth, body: content, limit };
}

function checkOptions(options: InvokeOptions): void {
  const { method = 'POST', data, input, webhookSecretFile } = options;
  const rules: [isBroken: unknown, message: string, fix?: string][] = [
    [!methods.includes(method), `invalid HTTP method "${method}"`, `use ${methods.join(', ')}`],
    [/^(GET|HEAD)$/.test(method) && (data ?? input) !== undefined, `a ${method} request has no body`],
    [webhookSecretFile === '-' && (data === '-' || input === '-'), 'only one value can be read from stdin'],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new UsageError(broken[1], { fix: broken[2] });
}

async function resolveWebhook(context: Context, { webhook, webhookSecretFile }: InvokeOptions) {
  if (!webhook) return undefined;
  const { parseDeliveryUrl, readWebhookSecret } = await import('../webhooks/index.ts');
  const url = parseDeliveryUrl(webhook, '--webhook').href;
  return { url, secret: await readWebhookSecret(context, webhookSecretFile) };
}

type BodyContext = Pick<Context, 'cwd' | 'stdin' | 'signal'>;

/** Smaller bodies are buffered, so that their length is known. */
const maxBufferedBytes = 1024 * 1024;
const chunkBytes = 256 * 1024;
const jsonFix = `name=value without --data, or --data '{"name": "value"}'`;
const inputFix = '--input FILE to send any bytes';

/** Reads the request body, or `defaultBody` if there is no source. Throws UsageError for two sources or invalid JSON. */
async function readRequestBody(
  context: BodyContext,
  { parameters, data, input }: Pick<InvokeOptions, 'data' | 'input'> & { parameters: object | undefined },
  defaultBody: unknown,
) {
  const sources = { 'name=value': parameters, '--data': data, '--input': input };
  const given = Object.entries(sources).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} cannot be combined: each sets the body`);
  if (input !== undefined) return { content: await openBody(context, input), type: 'application/octet-stream' };
  const body = parameters ?? defaultBody;
  if (data === undefined && body === undefined) return { content: undefined, type: undefined };
  const fix = !/^[@-]/.test(data ?? '') ? jsonFix : defaultBody === undefined ? inputFix : `name=@FILE, or ${inputFix}`;
  const text = data === undefined ? stringifyJson(body) : (await readJsonData(context, data, fix)).text;
  return { content: Buffer.from(text), type: 'application/json' };
}

/** The JSON that `--data` says, or that is in the file it names: it is checked before it is sent, and so held in memory. */
export async function readJsonData(context: BodyContext, data: string, fix: string) {
  const { stdin, signal } = context;
  const file = data === '-' ? '-' : /^@(.*)$/s.exec(data)?.[1];
  const source = file === undefined ? '--data' : file === '-' ? 'stdin' : file;
  const read = file === '-' ? readToEnd(stdin, { name: source, signal }) : file && readNamedFile(context, file);
  const text = withoutMark(String((await read) ?? data));
  try {
    return { text, source, value: parseJson(text) };
  } catch (cause) {
    throw new UsageError(`${source} is not valid JSON`, { why: (cause as Error).message, fix, cause });
  }
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

type FileContext = Pick<Context, 'cwd' | 'signal' | 'progress'>;

/** Parses `predict text=hello count:=3 image=@photo.png`: a first argument without `=` is the function. Throws UsageError. */
export async function parseInvokeArguments(context: FileContext, args: readonly string[]) {
  const [first] = args;
  const fn = first === undefined || first.includes('=') || isBody.test(first) ? undefined : first;
  return { fn, parameters: await parseParameters(context, args.slice(fn === undefined ? 0 : 1)) };
}

/** Parses `text=hello count:=3`. Undefined if there are none. Throws UsageError. */
export async function parseParameters(
  context: FileContext,
  args: readonly string[],
): Promise<Record<string, unknown> | undefined> {
  const pairs = args.map(parseParameter);
  const duplicate = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (duplicate) throw new UsageError(`parameter ${duplicate[0]} is given twice`);
  if (pairs.length === 0) return undefined;
  const text = pairs.find(([, value]) => typeof value === 'string' && /^[[{]/.test(value) && isJson(value));
  if (text) context.progress.note(`${text[0]} is sent as text; as JSON: ${quoteForShell(`${text[0]}:=${text[1]}`)}`);
  const read = pairs.map(async ([name, value, file]) => [
    name,
    file === undefined ? value : await readFileValue(context, name, file),
  ]);
  return Object.fromEntries(await Promise.all(read));
}

const isJson = (text: string) => attempt(() => parseJson(text)) !== undefined;

/** Its text if it is UTF-8 without a zero byte, as of no image; otherwise its bytes in base64. */
async function readFileValue(context: FileContext, name: string, file: string): Promise<string> {
  const bytes = await readNamedFile(context, file);
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  context.progress.note(`${name} is ${file} as base64 text, which base64.b64decode(${name}) makes bytes again`);
  return bytes.toString('base64');
}

/** Why a word is not a parameter; undefined if it is one. */
export function invalidParameter(arg: string): UsageError | undefined {
  const isWhole = isBody.test(arg);
  if (!isWhole && arg.indexOf('=') > 0 && !arg.startsWith(':=')) return undefined;
  return new UsageError(`invalid parameter "${arg}": expected name=value`, {
    fix: isWhole
      ? sentence`pass a whole body as ${new CommandLine(['--data', arg])}`
      : 'write name=text or name:=json; a whole body goes after --data',
  });
}

/** JSON, or a file that has it. */
const isBody = /^[{[@]/;

/** `name=text`, `name=@FILE` (`@@` begins a text with `@`), or `name:=json`. */
function parseParameter(arg: string): [name: string, value: unknown, file?: string] {
  const invalid = invalidParameter(arg);
  if (invalid) throw invalid;
  const equals = arg.indexOf('=');
  const name = arg.slice(0, equals);
  const value = arg.slice(equals + 1);
  if (!name.endsWith(':')) {
    if (/^@[^@]/.test(value)) return [name, undefined, value.slice(1)];
    return [name, value.replace(/^@@/, '@')];
  }
  const parameter = name.slice(0, -1);
  try {
    return [parameter, parseJson(value)];
  } catch (cause) {
    throw new UsageError(`the value of ${parameter} is not valid JSON`, {
      why: (cause as Error).message,
      fix: `use ${parameter}=… for text`,
      cause,
    });
  }
}

export interface InvokeOptions {
  app: string;
  /** An optional function name, then parameters. */
  args: string[];
  /** JSON, `@file`, or `-`. */
  data?: string | undefined;
  input?: string | undefined;
  method?: string | undefined;
  path?: string | undefined;
  /** `Name: value`. */
  header?: string[] | undefined;
  /** False sends no token. */
  auth: boolean;
  timeout?: number | undefined;
  stream?: boolean | undefined;
  async?: boolean | undefined;
  wait?: boolean | undefined;
  webhook?: string | undefined;
  webhookSecretFile?: string | undefined;
  awaitWebhook?: boolean | undefined;
  port?: number | undefined;
  publicUrl?: string | undefined;
}
