import { type AsyncRun, appEventFields, invokeApp } from '../../calls/invoke/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { callFlags } from '../flags/call.ts';
import { durationFlag, wholeNumberFlag } from '../flags/values.ts';
import { afterEvents, document, integer, nullable, passThrough, text } from '../result-schema.ts';
import { appResponseFields, appStreamFields, printResponse } from '../views/app-response.ts';

const asyncFields = {
  run: text('run id'),
  app: text('with --async and --wait: app name'),
  statusCode: integer('HTTP status of the call'),
  record: nullable(passThrough({}, 'with --wait: the run after it ended, as in gantry runs get; otherwise null')),
};

export default defineCommand({
  configure: (command) =>
    callFlags(
      appArgument(command.usage('[app] [function] [name=value...]')).argument(
        '[args...]',
        'function (default: run), then name=text, name:=json, name=@FILE (text or base64)',
      ),
    )
      .option('-i, --show-headers', 'print the status and headers before the body')
      .option('--raw', 'print the bytes unchanged, even on a terminal')
      .option('--timeout <duration>', 'stop waiting after this time', durationFlag)
      .option('--stream', 'request a stream of events')
      .option('--async', 'do not wait: print the run id')
      .option('--wait', 'call asynchronously, and wait until the run ends')
      .option('--webhook <url>', 'also send the response to this URL')
      .option('--webhook-secret-file <file>', 'sign with the secret in this file; - is stdin')
      .option('--await-webhook', 'call asynchronously, and print the response of its webhook')
      .option('--port <number>', 'port to listen on', wholeNumberFlag(0, 65_535))
      .option('--public-url <url>', 'URL under which the platform reaches that port')
      .option('--events', 'print one JSON object per line, and the result as the last'),
  flagRules: {
    requires: {
      webhookSecretFile: ['webhook', 'awaitWebhook'],
      port: ['awaitWebhook'],
      publicUrl: ['awaitWebhook'],
    },
    excludes: {
      stream: ['async', 'wait', 'awaitWebhook'],
      wait: ['awaitWebhook'],
      webhook: ['awaitWebhook'],
    },
  },
  run: async (context, app, args, options) => {
    const result = await invokeApp(context, { app, args, ...options });
    if ('run' in result) return result.run;
    return printResponse(context, result.response, options);
  },
  verbatim: () => true,
  view: (value) => ('data' in value ? value.data : (value as AsyncRun).run),
  json: afterEvents(appEventFields, document(appResponseFields, asyncFields, appStreamFields)),
  // What the app sends to --stream may be no stream.
  formOf: ({ async, wait, stream, events }) =>
    async || wait ? document(asyncFields) : stream || events ? undefined : document(appResponseFields),
  next: (value) =>
    'record' in value && value.record === null
      ? [{ line: gantryCommand`logs ${value.app} --run ${value.run} -f`, when: 'to follow it' }]
      : [],
  effect: 'changes',
  exits: ['pending', 'build-failed', 'not-ready', 'app-error'],
  examples: [
    'invoke web prompt="a red fox" steps:=20',
    'invoke web classify image=@photo.png',
    'invoke web --data @body.json --json=body',
    'invoke web chat --stream prompt=hello',
    'invoke web predict --data \'{"prompt": "a red fox"}\'',
    'invoke web --async --wait prompt=hello',
    'invoke web --await-webhook prompt=hello',
    'invoke server --method GET --path /health',
  ],
});
