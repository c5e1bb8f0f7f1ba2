import { replayDelivery } from '../../../calls/webhooks/index.ts';
import { defineCommand } from '../../command.ts';
import { boolean, document, integer, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<id>', 'delivery id shown by webhooks listen, or latest')
      .option('--to <url>', 'URL to send it to (default: the URL it was forwarded to)')
      .option('--secret-file <file>', 'sign it again with the secret in this file; - is stdin'),
  run: (context, id, { to, secretFile }) => replayDelivery(context, { id, to, secretFile }),
  view: ({ id, to, statusCode }) => `sent ${id} to ${to}: ${statusCode}`,
  effect: 'changes',
  local: true,
  exits: ['not-found', 'unavailable'],
  json: document({
    id: text('delivery id'),
    to: text('URL it was sent to'),
    statusCode: integer('HTTP status of the response'),
    signed: boolean('whether it was signed again, with the current time'),
  }),
  examples: ['webhooks replay latest', 'webhooks replay latest --to http://localhost:8000/hook'],
});
