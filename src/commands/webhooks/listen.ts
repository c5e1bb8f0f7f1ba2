import { defineCommand } from '../../command.ts';
import { wholeNumberFlag } from '../../flags/values.ts';
import { type ListenEvent, listenForDeliveries } from '../../operations/webhooks/index.ts';
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
  json: {
    type: 'listening, once, or delivery',
    url: 'where it listens',
    id: 'by which webhooks replay knows it',
    receivedAt: 'RFC 3339, UTC',
    path: 'path and query it was sent to',
    runId: 'id of the run, as the delivery says it',
    signature: 'good, bad, or unchecked without a secret',
    why: 'why it is bad',
    status: 'what the sender was answered; null for nothing',
    forwardedTo: 'where it was passed on to',
    bytes: 'size of the body',
    headers: 'headers of the delivery',
    body: 'the body: parsed where it is JSON, text, or base64',
    encoding: 'which of these it is: json, text or base64',
  },
  examples: [
    'webhooks listen --secret-file secret.txt',
    'webhooks listen --port 8080 --forward http://localhost:3000/hook',
    'webhooks listen --json',
  ],
});
