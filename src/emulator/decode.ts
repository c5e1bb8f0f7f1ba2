import type { IncomingMessage } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { type GenericSchema, getDotPath, type InferOutput, safeParse } from 'valibot';
import type { FilePart } from '../contract/scalars.ts';
import { refuse } from './reply.ts';

/** The JSON of a request. Refuses with 400 what is none. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await text(request);
  try {
    return JSON.parse(body);
  } catch {
    return refuse(400, 'the body is not valid JSON');
  }
}

/** The fields of a web form. */
export async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await text(request)));
}

/** The parts of a form with files. Nothing that comes in such a form is large. */
export async function readParts(request: IncomingMessage): Promise<Record<string, string | FilePart>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > mostPartsBytes) refuse(413, `the body is larger than ${mostPartsBytes} bytes`);
  const type = request.headers['content-type'] ?? '';
  const parts: Record<string, string | FilePart> = {};
  try {
    const form = await new Response(await buffer(request), { headers: { 'content-type': type } }).formData();
    for (const [name, part] of form) parts[name] = typeof part === 'string' ? part : await readFile(part);
  } catch {
    return refuse(400, 'the body is not valid multipart/form-data');
  }
  return parts;
}

const mostPartsBytes = 16 * 1024 * 1024;

async function readFile(file: File): Promise<FilePart> {
  return { filename: file.name, type: file.type, content: new Uint8Array(await file.arrayBuffer()) };
}

/** Reads a value by its schema. Refuses with 400 what does not fit, and names the field. */
export function readAs<S extends GenericSchema>(schema: S, value: unknown): InferOutput<S> {
  const result = safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  return refuse(400, `${getDotPath(issue) ?? 'body'}: ${issue.message}`);
}

/** A server written in Go takes null for "not given", and its client writes an absent list so (wire §1c). */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

/** One segment of a path. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return refuse(400, `the path has a broken escape: ${segment}`);
  }
}
