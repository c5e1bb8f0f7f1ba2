import { defineCommand } from '../../command.ts';
import { wholeNumberFlag } from '../../flags/values.ts';
import { type ListenEvent, listenForDeliveries } from '../../operations/webhooks/index.ts';
import { anything, choice, integer, nullable, record, stream, text } from '../../result-schema.ts';
import { deliveryView } from '../../views/delivery.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--port <number>', 'port to listen on (4300 if left out, or a free one)', wholeNumberFlag(0, 65_535))
      .option('--host <host>', 'address to listen on: only this machine reaches the usual one', '127.0.0.1')
      .option('--secret-file <file>', 'check signatures with the secret in this file; - is stdin')
      .option('--forward <url>', 'pass each delivery on to this address, and answer as it does'),
  run: (context, { port, host, secretFile, forward }): AsyncGenerator<ListenEvent> =>
    listenForDeliveries(context, { port, host, secretFile, forward }),
  verbatim: () => true,
  view: (heard) => (heard.type === 'delivery' ? deliveryView(heard) : () => heard.url),
  json: stream(
    { type: choice(['listening'], 'listening, once, or delivery'), url: text('where it listens') },
    {
      type: choice(['delivery'], 'delivery'),
      id: text('by which webhooks replay knows it'),
      receivedAt: text('RFC 3339, UTC'),
      path: text('path and query it was sent to'),
      runId: text('id of the run, as the delivery says it'),
      signature: choice(['good', 'bad', 'unchecked'], 'good, bad, or unchecked without a secret'),
      why: nullable(text('why it is bad')),
      status: nullable(integer('what the sender was answered; null for nothing')),
      forwardedTo: nullable(text('where it was passed on to')),
      bytes: integer('size of the body'),
      headers: record(text('value'), 'headers of the delivery'),
      body: anything('the body: parsed where it is JSON, text, or base64'),
      encoding: choice(['json', 'text', 'base64'], 'which of these it is: json, text or base64'),
    },
  ),
  effect: 'changes',
  examples: [
    'webhooks listen --secret-file secret.txt',
    'webhooks listen --port 8080 --forward http://localhost:3000/hook',
    'webhooks listen --json',
  ],
});
