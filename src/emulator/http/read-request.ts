import { createHash, hash } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { type GenericSchema, getDotPath, type InferOutput, safeParse } from 'valibot';
import { writeAtomically, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';
import { begun } from '../../kernel/once.ts';
import type { FilePart } from '../../platform/contract/scalars.ts';
import { type ByteStream, maxAtOnceBytes, refuse, refuseStorage } from './reply.ts';

/** Refuses invalid JSON with 400, and of the management API what says that it is something else with 415. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type'];
  if (type !== undefined && managementPath.test(request.url ?? '') && !jsonType.test(type)) {
    refuse(415, `the body must be application/json, not ${type || '""'}`);
  }
  const body = String(await readBody(request));
  try {
    return JSON.parse(body);
  } catch {
    return refuse(400, 'the body is not valid JSON');
  }
}

/** Other endpoints, such as logins, are called by hand: `curl -d` sends a web form. */
const managementPath = /^\/v[23]\//;
/** With or without parameters, such as a charset. */
const jsonType = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i;

export async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(String(await readBody(request))));
}

export async function readMultipart(request: IncomingMessage): Promise<Record<string, string | FilePart>> {
  const type = request.headers['content-type'] ?? '';
  const body = await readBody(request);
  const parts: [string, string | FilePart][] = [];
  try {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    for (const [name, part] of form) parts.push([name, typeof part === 'string' ? part : await toFilePart(part)]);
  } catch {
    return refuse(400, 'the body is not valid multipart/form-data');
  }
  return Object.fromEntries(parts);
}

/** Bodies of the management API are held in memory: none is large. */
const maxBodyBytes = 16 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => refuse(413, `the body is larger than ${maxBodyBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) tooLarge();
  const small = await readSmall(request, maxBodyBytes);
  if (Buffer.isBuffer(small)) return small;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBodyBytes) tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function toFilePart(file: File): Promise<FilePart> {
  return { filename: file.name, type: file.type, content: new Uint8Array(await file.arrayBuffer()) };
}

/** Refuses a value that does not match the schema with 400, naming the field. */
export function parseAs<S extends GenericSchema>(schema: S, value: unknown): InferOutput<S> {
  const result = safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  return refuse(400, `${getDotPath(issue) ?? 'body'}: ${issue.message}`);
}

/** valibot accepts an array as an object; no endpoint takes an array. */
export function requireObject(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(400, 'the body must be a JSON object');
  }
  return value;
}

/** The platform treats null as "not given", and the official client sends null for an absent list. */
export function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

export function decodeSegment(segment: string): string {
  return attempt(() => decodeURIComponent(segment)) ?? refuse(400, `the path has an invalid escape: ${segment}`);
}

/** The URL of a request. Refuses what is no path with 400: only proxies get addresses. */
export function parseRequestTarget({ url = '' }: IncomingMessage, base: string): URL {
  const address = url.startsWith('/') ? base + url : '';
  return URL.canParse(address) ? new URL(address) : refuse(400, `invalid request target: ${url}`);
}

/**
 * The whole body if it has no more bytes than these, else all of it as a stream. Most bodies are small, and iterating over
 * one takes longer than all else that a request needs.
 */
async function readSmall(body: ByteStream, maxBytes: number): Promise<Buffer | ByteStream> {
  if (!(body instanceof IncomingMessage)) return body;
  const { 'content-length': length } = body.headers;
  if (length === undefined || Number(length) > maxBytes || body.readableFlowing !== null) return body;
  // It would tell so no more.
  if (body.destroyed) throw disconnected();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', reject)
      .once('close', () => reject(disconnected()));
  });
}

const disconnected = () => new Error('the client has disconnected');

/** Requests to object storage: PUT of an app's archive, PUT of a part of a file, GET of a file. */
export type StorageTarget = 'upload' | 'part' | 'object';

/** Undefined for other requests. */
export function storageTarget({ pathname, searchParams }: URL): StorageTarget | undefined {
  if (!pathname.startsWith(storagePath)) return undefined;
  if (!pathname.startsWith(`${storagePath}volumes/`)) return 'upload';
  return searchParams.has('uploadId') ? 'part' : 'object';
}

export const storagePath = '/storage/';

/** Refuses a request that is not a PUT of known length without a token. */
export function checkPutRequest(request: IncomingMessage): void {
  for (const [holds, ...error] of rules(request)) if (!holds) refuseStorage(...error);
}

/** Streams a body to disk, and returns its MD5 in hex. Leaves no file if the body is incomplete. */
export async function saveStream(body: ByteStream, path: string): Promise<{ size: number; md5: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const content = await readSmall(body, maxAtOnceBytes);
  if (Buffer.isBuffer(content)) {
    writeFileAtomicSync(path, content);
    return { size: content.length, md5: hash('md5', content) };
  }
  const write = async (file: FileHandle) => {
    const digest = createHash('md5');
    let size = 0;
    // A chunk is written while the next one is received.
    let writing = Promise.resolve();
    for await (const chunk of content) {
      digest.update(chunk);
      size += chunk.length;
      await writing;
      writing = begun(file.writeFile(chunk));
    }
    await writing;
    return { size, md5: digest.digest('hex') };
  };
  return writeAtomically(path, write, { mode: 0o600 });
}

const maxPutBytes = 5 * 1024 ** 3;

type RequestRule = [holds: boolean, status: number, code: string, message: string];

function rules({ method, headers }: IncomingMessage): RequestRule[] {
  const { authorization, 'transfer-encoding': encoding, 'content-length': length } = headers;
  const implied = 'A header you provided implies functionality that is not implemented: Transfer-Encoding';
  return [
    [method === 'PUT', 405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.'],
    // Real object storage treats a bearer token as a second signature.
    [authorization === undefined, 400, 'InvalidArgument', 'Only one auth mechanism allowed'],
    [encoding === undefined, 501, 'NotImplemented', implied],
    [length !== undefined, 411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'],
    [!(Number(length) > maxPutBytes), 400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size'],
  ];
}
