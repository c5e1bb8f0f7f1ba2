import {
  type AppResponse,
  decodedChunks,
  findRunId,
  isTextResponse,
  readAllEvents,
  readEvents,
  readResponse,
  responseHead,
  responseSummary,
} from '../../calls/invoke/index.ts';
import { count } from '../../kernel/output/format.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { Context } from '../../platform/context.ts';
import { anything, choice, integer, nullable, number, record, text } from '../result-schema.ts';

const headFields = {
  statusCode: integer('HTTP status'),
  headers: record(anything('text, or a list of texts'), 'headers of the response'),
  run: nullable(text('run id')),
  firstByteMs: number('time until the first byte, in ms'),
  durationMs: number('total duration, in ms'),
};

export const appResponseFields = {
  ...headFields,
  body: anything('response: parsed if it is JSON, a list of its events, otherwise text or base64'),
  encoding: choice(['json', 'events', 'text', 'base64'], 'form of body'),
};

/** The last line of a response that is a stream of events. */
export const appStreamFields = { ...headFields, events: integer('number of events') };

interface PrintOptions {
  raw?: true;
  showHeaders?: true;
  /** Each event is a result of its own. */
  stream?: boolean | undefined;
  events?: boolean | undefined;
}

/** Prints the response of an app as it comes: a stream of events as such, and anything else byte for byte. */
export function printResponse(context: Context, response: AppResponse, options: PrintOptions) {
  const hasEvents = response.type === 'text/event-stream' && !options.raw && !options.showHeaders;
  if (hasEvents && (options.stream || options.events)) return streamEvents(context, response);
  return wholeResponse(context, response, { ...options, hasEvents });
}

async function* streamEvents({ progress, elapsed }: Context, response: AppResponse) {
  const { status, headers, firstByteMs, startedAt } = response;
  let events = 0;
  for await (const event of readEvents(response)) {
    events += 1;
    yield event;
  }
  const runId = findRunId(response);
  const durationMs = elapsed() - startedAt;
  progress.note(`${responseSummary(response, durationMs, runId)}, ${count(events, 'event')}`);
  return { statusCode: status, headers, run: runId ?? null, firstByteMs, durationMs, events };
}

/** As it comes, and as one document in JSON. */
function wholeResponse(
  { progress, elapsed }: Context,
  response: AppResponse,
  { raw, showHeaders, hasEvents }: PrintOptions & { hasEvents: boolean },
) {
  let bodyStart = '';
  const note = (durationMs: number, run: string | undefined) =>
    progress.note(responseSummary(response, durationMs, run));
  const chunks = raw ? response.chunks : hasEvents ? eventLines(response) : decodedChunks(response);
  const write = async (writeBytes: (bytes: Uint8Array) => Promise<void>) => {
    if (showHeaders) await writeBytes(Buffer.from(responseHead(response)));
    for await (const chunk of chunks) {
      bodyStart ||= chunk.toString('utf8', 0, 200);
      await writeBytes(chunk);
    }
  };
  return new RawOutput(write, {
    jsonValue: async () => {
      const buffered = await (hasEvents ? readAllEvents(response, elapsed) : readResponse(response, elapsed));
      note(buffered.durationMs, buffered.run ?? undefined);
      return buffered;
    },
    onWritten: () => note(elapsed() - response.startedAt, findRunId(response, bodyStart)),
    cancel: response.close,
    untrusted: raw ? undefined : isTextResponse(response) ? 'text' : 'bytes',
  });
}

async function* eventLines(response: AppResponse): AsyncGenerator<Buffer> {
  for await (const { data } of readEvents(response)) yield Buffer.from(`${data}\n`);
}
