import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
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

export default defineCommand({
  configure: (command) =>
    command
      .usage('[flags] <app> [function] [name=value...]')
      .argument('<app>', 'app name or id')
      .argument('[words...]', 'the function, run if left out; then name=text, or name:=json')
      .option('--data <json>', 'the body: JSON, @file with JSON, or - for stdin')
      .option('--input <file>', 'the body: any bytes of this file; - is stdin')
      .option('--method <method>', 'such as GET, for a server of your own (POST if left out)', (text) =>
        text.toUpperCase(),
      )
      .option('--path <path>', 'a path below the app, or below the function')
      .option('--header <name: value>', 'send a header; may be given again', repeatableFlag)
      .option('--no-auth', 'send no token, to an app with disable_auth')
      .option('--include', 'print status and headers before the body')
      .option('--raw', 'change no byte, not even on a terminal')
      .option('--timeout <duration>', 'stop waiting after this long', durationFlag)
      .option('--stream', 'ask for a stream of events')
      .option('--async', 'do not wait: print the id of the run')
      .option('--wait', 'start as with --async, wait for the end of the run, and end as it ends')
      .option('--webhook <url>', 'let the platform send the answer there, too')
      .option('--webhook-secret-file <file>', 'sign what is sent there with the secret in this file; - is stdin')
      .option('--await-webhook', 'start as with --async, and print what the webhook brings here')
      .option('--port <number>', 'with --await-webhook: the port to listen on', wholeNumberFlag(0, 65_535))
      .option('--public-url <url>', 'with --await-webhook: where that port is reached from outside')
      .option('--events', 'print one JSON object per line, and the result as the last'),
  run: async (context, app, words, options) => {
    const invoked = await invokeApp(context, { app, args: words, ...options });
    if ('started' in invoked) return invoked.started;
    const { answer } = invoked;
    const asEvents = answer.type === 'text/event-stream' && !options.raw && !options.include;
    return asEvents ? events(context, answer) : poured(context, answer, options);
  },
  verbatim: () => true,
  view: (value) => () => ('data' in value ? value.data : (value as AsyncRun).runId),
  passesThrough: true,
  json: {
    status: 'HTTP status',
    headers: 'headers of the answer',
    runId: 'id of the run',
    timings: 'milliseconds: firstByteMs, totalMs',
    body: 'the answer: parsed where it is JSON, text, or base64',
    encoding: 'which of these it is: json, text or base64',
    app: 'with --async: name of the app',
    run: 'with --wait: the record of the run; null without',
    event: 'of each event of a stream: its kind, or null',
    data: 'of each event of a stream: its data, as text',
    id: 'of each event of a stream: its id, or null',
  },
  examples: [
    'invoke web prompt="a red fox" steps:=20',
    'invoke web predict --data \'{"prompt": "a red fox"}\'',
    'invoke web --data @body.json --json=body',
    'invoke web chat --stream prompt=hello',
    'invoke web --async --wait prompt=hello',
    'invoke web --await-webhook prompt=hello',
    'invoke server --method GET --path /health',
  ],
});

/** Each event as it comes; at the end, what the whole was. */
async function* events({ progress, elapsed }: Context, answer: AppResponse) {
  const { status, headers, firstByteMs, startedAt } = answer;
  let number = 0;
  for await (const event of readEvents(answer)) {
    number += 1;
    yield event satisfies AppEvent;
  }
  const runId = findRunId(answer);
  const totalMs = elapsed() - startedAt;
  progress.note(`${responseSummary(answer, totalMs, runId)}, ${count(number, 'event')}`);
  return { status, headers, runId: runId ?? null, timings: { firstByteMs, totalMs }, events: number };
}

function poured(
  { progress, elapsed }: Context,
  answer: AppResponse,
  { raw, include }: { raw?: true; include?: true },
): RawOutput {
  let start = '';
  const after = () => progress.note(responseSummary(answer, elapsed() - answer.startedAt, findRunId(answer, start)));
  const into = async (take: (bytes: Uint8Array) => Promise<void>) => {
    if (include) await take(Buffer.from(responseHead(answer)));
    for await (const piece of answer.chunks) {
      start ||= piece.toString('utf8', 0, 200);
      await take(piece);
    }
  };
  const whole = async () => {
    const read = await readResponse(answer, elapsed);
    progress.note(responseSummary(answer, read.timings.totalMs, read.runId ?? undefined));
    return read;
  };
  return new RawOutput(into, {
    jsonValue: whole,
    onWritten: after,
    cancel: answer.close,
    untrusted: raw ? undefined : isTextResponse(answer) ? 'text' : 'bytes',
  });
}
