import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OutgoingBody } from '../../api/streamed.ts';
import type { Context } from '../../context.ts';
import { readFileOrPipeChunks } from '../../disk/index.ts';
import { UsageError } from '../../errors.ts';
import { throwUnreadable } from '../input/index.ts';

/** Where the body of a call comes from: one of these, or none of them. */
export interface BodySource {
  parameters?: Record<string, unknown> | undefined;
  /** JSON, `@file` with JSON, or `-` for stdin. */
  data?: string | undefined;
  /** A file with any bytes; `-` is stdin. */
  input?: string | undefined;
}

export interface RequestBody {
  content: OutgoingBody | undefined;
  type: string | undefined;
}

type Reading = Pick<Context, 'cwd' | 'stdin' | 'signal'>;

/** What is no longer than this is held in memory, so that JSON is checked and its length is known (bytes). */
const maxBufferedBytes = 1024 * 1024;
const chunkBytes = 256 * 1024;

/** The body of a call; `otherwise` when the user named none. Throws UsageError when two are named, or what is no JSON. */
export async function readRequestBody(context: Reading, source: BodySource, otherwise: unknown): Promise<RequestBody> {
  const { parameters, data, input } = source;
  const named = [parameters && 'name=value', data !== undefined && '--data', input !== undefined && '--input'];
  const given = named.filter((name) => typeof name === 'string');
  if (given.length > 1) throw new UsageError(`the body is one of ${given.join(' and ')}, not both`);
  if (input !== undefined) return { content: await openBody(context, input), type: 'application/octet-stream' };
  const type = 'application/json';
  const inFile = data === '-' ? '-' : data?.startsWith('@') ? data.slice(1) : undefined;
  if (inFile !== undefined) {
    const content = await openBody(context, inFile);
    if (content instanceof Uint8Array) checkJson(content.toString(), inFile === '-' ? 'stdin' : inFile);
    return { content, type };
  }
  if (data !== undefined) checkJson(data, '--data');
  const text = data ?? JSON.stringify(parameters ?? otherwise);
  return text === undefined ? { content: undefined, type: undefined } : { content: Buffer.from(text), type };
}

async function openBody({ cwd, stdin, signal }: Reading, file: string): Promise<OutgoingBody> {
  if (file === '-') return bufferIfSmall(readChunks(stdin));
  const path = resolve(cwd, file);
  const found = statFile(path, file);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder`);
  const read = () => readFileOrPipeChunks(path, signal, chunkBytes);
  return found.size <= maxBufferedBytes ? bufferIfSmall(read()) : { length: found.size, read };
}

function statFile(path: string, file: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    return throwUnreadable(file, cause);
  }
}

/** Reads a little: what ends soon is small, whatever it comes from. The rest is read when it is sent. */
async function bufferIfSmall(pieces: AsyncIterable<Uint8Array>): Promise<OutgoingBody> {
  const iterator = pieces[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  for (let bytes = 0; bytes <= maxBufferedBytes; ) {
    const { value, done } = await iterator.next();
    if (done) return Buffer.concat(head);
    head.push(value);
    bytes += value.length;
  }
  async function* read() {
    yield* head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { length: undefined, read };
}

async function* readChunks(stdin: AsyncIterable<Buffer | string>): AsyncGenerator<Uint8Array> {
  for await (const piece of stdin) yield Buffer.from(piece);
}

function checkJson(text: string, from: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    const fix =
      from === '--data' ? `--data '{"name": "value"}', or name=value without --data` : '--input takes any bytes';
    throw new UsageError(`${from} is not JSON`, { why: (cause as Error).message, fix, cause });
  }
}
