import { defineCommand } from '../../command.ts';
import { wholeNumberFlag } from '../../flags/values.ts';
import { type ListenEvent, listenForDeliveries } from '../../operations/webhooks/index.ts';
import { deliveryView } from '../../views/delivery.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--port <number>', 'port to listen on (default: 4300, or a free port)', wholeNumberFlag(0, 65_535))
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option('--secret-file <file>', 'check signatures with the secret in this file; - is stdin')
      .option('--forward <url>', 'forward each delivery to this URL and return its response'),
  run: (context, { port, host, secretFile, forward }): AsyncGenerator<ListenEvent> =>
    listenForDeliveries(context, { port, host, secretFile, forward }),
  verbatim: () => true,
  view: (event) => (event.type === 'delivery' ? deliveryView(event) : () => event.url),
  json: {
    type: 'listening (once) or delivery',
    url: 'URL it listens on',
    id: 'delivery id, for webhooks replay',
    receivedAt: 'RFC 3339, UTC',
    path: 'path and query of the request',
    runId: 'run id of the delivery',
    signature: 'good, bad, or unchecked (without a secret)',
    why: 'why the signature is bad',
    status: 'HTTP status returned to the sender; null if none',
    forwardedTo: 'URL it was forwarded to, or null',
    bytes: 'size of the body',
    headers: 'headers of the delivery',
    body: 'the body: parsed JSON, text, or base64',
    encoding: 'encoding of the body: json, text or base64',
  },
  examples: [
    'webhooks listen --secret-file secret.txt',
    'webhooks listen --port 8080 --forward http://localhost:3000/hook',
    'webhooks listen --json',
  ],
});
