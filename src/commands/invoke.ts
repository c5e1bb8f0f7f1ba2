import { defineCommand } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import type { Context } from '../context.ts';
import { platformExits } from '../errors.ts';
import { appArgument } from '../flags/app.ts';
import { requiring } from '../flags/rules.ts';
import { durationFlag, repeatableFlag, wholeNumberFlag } from '../flags/values.ts';
import {
  type AppEvent,
  type AppResponse,
  type AsyncRun,
  findRunId,
  invokeApp,
  isTextResponse,
  readEvents,
  readResponse,
  responseHead,
  responseSummary,
} from '../operations/invoke/index.ts';
import { count } from '../output/format.ts';
import { RawOutput } from '../output/raw-output.ts';
import {
  afterEvents,
  anything,
  choice,
  document,
  integer,
  nullable,
  number,
  passThrough,
  record,
  text,
} from '../result-schema.ts';

const headFields = {
  statusCode: integer('HTTP status'),
  headers: record(anything('text, or a list of texts'), 'headers of the response'),
  run: nullable(text('run id')),
  firstByteMs: number('time until the first byte, in ms'),
  durationMs: number('total duration, in ms'),
};

const responseFields = {
  ...headFields,
  body: anything('response: parsed if it is JSON, otherwise text or base64'),
  encoding: choice(['json', 'text', 'base64'], 'form of body'),
};

const asyncFields = {
  run: text('run id'),
  app: text('with --async and --wait: app name'),
  statusCode: integer('HTTP status of the call'),
  record: nullable(passThrough({}, 'with --wait: the run after it ended, as in gantry runs get; otherwise null')),
};

/** The last line of a response that is a stream of events. */
const streamFields = { ...headFields, events: integer('number of events') };

/** One event of a response that is a stream of events. */
const eventFields = {
  event: nullable(text('of an event: its kind, or null')),
  data: text('of an event: its data'),
  id: nullable(text('of an event: its id, or null')),
};

export default defineCommand({
  configure: (command) =>
    appArgument(command.usage('[app] [function] [name=value...]'))
      .argument('[args...]', 'function (default: run), then parameters: name=text, or name:=json')
      .option('--data <json>', 'request body: JSON, @file with JSON, or - for stdin')
      .addOption(
        command.createOption('--input <file>', 'request body: any bytes from a file, or - for stdin').conflicts('data'),
      )
      .option('--method <method>', 'HTTP method, for apps with their own server (default: POST)', (text) =>
        text.toUpperCase(),
      )
      .option('--path <path>', 'path below the app or the function')
      .option('--header <name: value>', 'send a header (repeatable)', repeatableFlag)
      .option('--no-auth', 'send no token, for apps with disable_auth')
      .option('-i, --show-headers', 'print the status and headers before the body')
      .option('--raw', 'print the bytes unchanged, even on a terminal')
      .option('--timeout <duration>', 'stop waiting after this time', durationFlag)
      .addOption(
        command.createOption('--stream', 'request a stream of events').conflicts(['async', 'wait', 'awaitWebhook']),
      )
      .option('--async', 'do not wait: print the run id')
      .addOption(
        command
          .createOption('--wait', 'call asynchronously, wait until the run ends, and fail if it fails')
          .conflicts('awaitWebhook'),
      )
      .addOption(
        command.createOption('--webhook <url>', 'also send the response to this URL').conflicts('awaitWebhook'),
      )
      .addOption(
        requiring(
          command.createOption(
            '--webhook-secret-file <file>',
            'sign webhook deliveries with the secret in this file; - is stdin',
          ),
          'webhook',
          'awaitWebhook',
        ),
      )
      .option('--await-webhook', 'call asynchronously, and print the response that a webhook delivers here')
      .addOption(
        requiring(
          command.createOption('--port <number>', 'port to listen on').argParser(wholeNumberFlag(0, 65_535)),
          'awaitWebhook',
        ),
      )
      .addOption(
        requiring(
          command.createOption('--public-url <url>', 'URL under which the platform reaches that port'),
          'awaitWebhook',
        ),
      )
      .option('--events', 'print one JSON object per line, and the result as the last'),
  run: async (context, app, args, options) => {
    const result = await invokeApp(context, { app, args, ...options });
    if ('run' in result) return result.run;
    const { response } = result;
    const asEvents = response.type === 'text/event-stream' && !options.raw && !options.showHeaders;
    return asEvents ? streamEvents(context, response) : streamBody(context, response, options);
  },
  verbatim: () => true,
  view: (value) => () => ('data' in value ? value.data : (value as AsyncRun).run),
  json: afterEvents(eventFields, document(responseFields, asyncFields, streamFields)),
  next: (value) =>
    'record' in value && value.record === null
      ? [{ line: gantryCommand`runs follow ${value.app} ${value.run}`, when: 'to follow it' }]
      : [],
  effect: 'changes',
  exits: [...platformExits, 'pending', 'app-error'],
  examples: [
    'invoke web prompt="a red fox" steps:=20',
    'invoke web --data @body.json --json=body',
    'invoke web chat --stream prompt=hello',
    'invoke web predict --data \'{"prompt": "a red fox"}\'',
    'invoke web --async --wait prompt=hello',
    'invoke web --await-webhook prompt=hello',
    'invoke server --method GET --path /health',
  ],
});

/** Yields events as they arrive, then a summary. */
async function* streamEvents({ progress, elapsed }: Context, response: AppResponse) {
  const { status, headers, firstByteMs, startedAt } = response;
  let events = 0;
  for await (const event of readEvents(response)) {
    events += 1;
    yield event satisfies AppEvent;
  }
  const runId = findRunId(response);
  const durationMs = elapsed() - startedAt;
  progress.note(`${responseSummary(response, durationMs, runId)}, ${count(events, 'event')}`);
  return { statusCode: status, headers, run: runId ?? null, firstByteMs, durationMs, events };
}

function streamBody(
  { progress, elapsed }: Context,
  response: AppResponse,
  { raw, showHeaders }: { raw?: true; showHeaders?: true },
): RawOutput<Awaited<ReturnType<typeof readResponse>>> {
  let bodyStart = '';
  const write = async (writeBytes: (bytes: Uint8Array) => Promise<void>) => {
    if (showHeaders) await writeBytes(Buffer.from(responseHead(response)));
    for await (const chunk of response.chunks) {
      bodyStart ||= chunk.toString('utf8', 0, 200);
      await writeBytes(chunk);
    }
  };
  return new RawOutput(write, {
    jsonValue: async () => {
      const buffered = await readResponse(response, elapsed);
      progress.note(responseSummary(response, buffered.durationMs, buffered.run ?? undefined));
      return buffered;
    },
    onWritten: () =>
      progress.note(responseSummary(response, elapsed() - response.startedAt, findRunId(response, bodyStart))),
    cancel: response.close,
    isJson: /[/+]json$/.test(response.type),
    untrusted: raw ? undefined : isTextResponse(response) ? 'text' : 'bytes',
  });
}
