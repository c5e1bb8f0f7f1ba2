import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { FailedError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { withNulls } from '../../kernel/json-text.ts';
import { duration } from '../../kernel/output/format.ts';
import { nullable, type ObjectOf, text } from '../../kernel/shape.ts';
import { decompress, encodingsOf, readAtMost } from '../../platform/api/http-reply.ts';
import type { OutgoingBody, StreamedReply } from '../../platform/api/streamed.ts';
import { type DecodedBody, decodeBody } from '../../platform/replies/index.ts';
import type { ReceivedRequest } from '../receiver/index.ts';
import type { CallTarget } from './call-target.ts';

/** The response of an app. Its body has not been read yet. */
export interface AppResponse extends Pick<StreamedReply, 'status' | 'statusText' | 'headers' | 'close'> {
  target: CallTarget;
  sent?: OutgoingBody | undefined;
  /** Media type in lower case, without parameters. */
  type: string;
  /** Value of `Context.elapsed` when the call started. */
  startedAt: number;
  firstByteMs: number;
  /** The body: read it to its end, or call `close`. Throws UnavailableError if cut off, PendingError at the time limit. */
  chunks: AsyncGenerator<Buffer>;
}

/** A response whose body has been read. */
export type BufferedResponse = Awaited<ReturnType<typeof readResponse>>;

/** Maximum size of a buffered body. Printing it as JSON takes several times as much memory. */
const maxBytes = 128 * 1024 * 1024;

/** Reads the whole body. Throws FailedError if it is too large to buffer. */
export async function readResponse(response: AppResponse, elapsed: () => number) {
  return documentOf(response, elapsed, decodeBody(await readDecompressed(response)));
}

function documentOf<Content extends { body: unknown }>(response: AppResponse, elapsed: () => number, content: Content) {
  const { status, headers, firstByteMs, startedAt } = response;
  const durationMs = elapsed() - startedAt;
  return {
    statusCode: status,
    headers,
    run: readRunId(response, content) ?? null,
    firstByteMs,
    durationMs,
    ...content,
  };
}

/** The body as it comes; one that the app has compressed, at its end. */
export async function* decodedChunks(response: AppResponse): AsyncGenerator<Buffer> {
  if (encodingsOf(response.headers).length === 0) yield* response.chunks;
  else yield await readDecompressed(response);
}

async function readDecompressed(response: AppResponse): Promise<Buffer> {
  const body = await readAtMost(response.chunks, maxBytes);
  if (body.isCut) throw tooLargeError(response);
  return decompress(body.content, response, response.target.name);
}

function tooLargeError({ target: { name } }: AppResponse): FailedError {
  return new FailedError(`the response of ${name} is larger than ${maxBytes / 1024 / 1024} MiB`, {
    why: 'it is too large for one JSON document; the call itself was made',
    fix: 'omit --json to stream the response',
  });
}

/** The run id: from the body that the default runtime returns, or from `X-Request-Id`. */
export function readRunId({ headers }: Pick<AppResponse, 'headers'>, content?: Pick<DecodedBody, 'body'>) {
  const inBody = (Object(content?.body) as Record<string, unknown>).run_id;
  return typeof inBody === 'string' ? inBody : firstHeader(headers, 'x-request-id');
}

/** Like {@link readRunId}, for a body of which only the start is known. */
export function findRunId(response: Pick<AppResponse, 'headers'>, bodyStart = ''): string | undefined {
  const [, id] = /^\s*\{\s*"run_id"\s*:\s*"([\w-]+)"/.exec(bodyStart) ?? [];
  return id ?? readRunId(response);
}

export function firstHeader(headers: AppResponse['headers'], name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** The media type in lower case, without parameters; empty without a content type. */
export function mediaType(headers: AppResponse['headers']): string {
  return (firstHeader(headers, 'content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase();
}

/** `200 OK in 1.2 s, run 3f2a91c0-…`. */
export function responseSummary({ status, statusText }: AppResponse, totalMs: number, runId: string | undefined) {
  return `${`${status} ${statusText}`.trim()} in ${duration(totalMs)}${runId ? `, run ${runId}` : ''}`;
}

/** The status line and headers, as printed before the body. */
export function responseHead({ status, statusText, headers }: AppResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  );
  return `${[`HTTP ${status} ${statusText}`.trim(), ...lines].join('\n')}\n\n`;
}

/** Whether the body is text by its content type. A missing type counts as text. */
export function isTextResponse({ type }: Pick<AppResponse, 'type'>): boolean {
  return type === '' || /^text\/|[/+](json|xml|yaml|x-ndjson|jsonl|javascript|x-www-form-urlencoded)$/.test(type);
}

/** What a webhook delivered, as if the call had been synchronous. */
export function deliveredResponse(
  { headers, body }: ReceivedRequest,
  target: CallTarget,
  startedAt: number,
  firstByteMs: number,
): AppResponse {
  async function* chunks() {
    yield body;
  }
  return {
    target,
    status: 200,
    statusText: 'delivered',
    headers,
    type: mediaType(headers),
    startedAt,
    firstByteMs,
    chunks: chunks(),
    close: async () => {},
  };
}

export const appEventFields = {
  event: nullable(text('of an event: its kind, or null')),
  data: text('of an event: its data'),
  id: nullable(text('of an event: its id, or null')),
};
export type AppEvent = ObjectOf<typeof appEventFields>;

/** The longest event, in characters. */
const maxEventLength = 64 * 1024 * 1024;

/** Yields the events of a response as they arrive, without comments. Throws if the stream is cut off. */
export async function* readEvents({ target, chunks }: AppResponse): AsyncGenerator<AppEvent> {
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => parsed.push(event),
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw eventTooLong(target.name);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* drain(parsed);
  }
  // The response is complete, so its last event may lack the empty line that ends it.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* drain(parsed);
}

/** {@link readResponse} for events. */
export async function readAllEvents(response: AppResponse, elapsed: () => number) {
  const events: AppEvent[] = [];
  let length = 0;
  for await (const event of readEvents(response)) {
    length += event.data.length;
    if (length > maxBytes) throw tooLargeError(response);
    events.push(event);
  }
  return documentOf(response, elapsed, { body: events, encoding: 'events' as const });
}

function eventTooLong(name: string): UnexpectedReplyError {
  return new UnexpectedReplyError(`an event of ${name} is too long`, { fix: 'use --raw to print it as it arrives' });
}

function* drain(parsed: EventSourceMessage[]): Generator<AppEvent> {
  for (const { event, data, id } of parsed.splice(0)) yield withNulls({ event, data, id });
}
