import { type ListenEvent, listenForDeliveries, type ShownDelivery } from '../../../calls/webhooks/index.ts';
import { stringifyJson } from '../../../kernel/json-text.ts';
import { localTime, size } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { defineCommand } from '../../command.ts';
import { wholeNumberFlag } from '../../flags/values.ts';
import { anything, choice, integer, nullable, record, stream, text } from '../../result-schema.ts';

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
  view: (event) => (event.type === 'delivery' ? deliveryView(event) : event.url),
  json: stream(
    { type: choice(['listening'], 'listening (once) or delivery'), url: text('URL it listens on') },
    {
      type: choice(['delivery'], 'delivery'),
      receivedAt: text('RFC 3339, UTC'),
      path: text('path and query of the request'),
      run: text('run id of the delivery'),
      signature: choice(['good', 'bad', 'unchecked'], 'good, bad, or unchecked (without a secret)'),
      why: nullable(text('why the signature is bad')),
      statusCode: nullable(integer('HTTP status returned to the sender'), 'none'),
      forwardedTo: nullable(text('URL it was forwarded to, or null')),
      bytes: integer('size of the body'),
      headers: record(text('value'), 'headers of the delivery'),
      body: anything('the body: parsed JSON, text, or base64'),
      encoding: choice(['json', 'text', 'base64'], 'encoding of the body: json, text or base64'),
    },
  ),
  effect: 'changes',
  local: true,
  unattended: false,
  exits: ['not-found', 'conflict'],
  examples: [
    'webhooks listen --secret-file secret.txt',
    'webhooks listen --port 8080 --forward http://localhost:3000/hook',
    'webhooks listen --json',
  ],
});

function deliveryView(delivery: ShownDelivery): View {
  return ({ style }) => {
    const { receivedAt, run, signature, why, statusCode, forwardedTo, path, bytes } = delivery;
    const paint = { good: style.green, bad: style.red, unchecked: style.yellow }[signature];
    const result = statusCode === null ? 'no response' : `returned ${statusCode}`;
    const head = [style.bold(localTime(receivedAt)), paint(`signature ${signature}`), result];
    const about = [
      run ? `run ${run}` : 'no run id',
      path,
      size(bytes),
      ...(forwardedTo ? [`forwarded to ${forwardedTo}`] : []),
    ];
    const lines = [about.join(', '), ...(why ? [`why ${why}`] : [])].map((line) => style.dim(`  ${line}`));
    return [head.join('  '), ...lines, bodyText(delivery).replace(/^/gm, '  '), ''].join('\n');
  };
}

function bodyText({ body, encoding, bytes }: ShownDelivery): string {
  if (encoding === 'json') return stringifyJson(body, 2);
  return encoding === 'text' ? String(body) : `${size(bytes)} (binary)`;
}
