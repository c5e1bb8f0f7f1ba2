import { defineCommand } from '../../command.ts';
import { replayDelivery } from '../../operations/webhooks/index.ts';
import { boolean, document, integer, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<id>', 'id of a delivery that webhooks listen has shown, or latest')
      .option('--to <url>', 'where to send it; where it was passed on to if left out')
      .option('--secret-file <file>', 'sign it anew with the secret in this file; - is stdin'),
  run: (context, id, { to, secretFile }) => replayDelivery(context, { id, to, secretFile }),
  view:
    ({ id, to, status }) =>
    () =>
      `${id} sent to ${to}: ${status}`,
  effect: 'changes',
  json: document({
    id: text('id of the delivery'),
    to: text('where it was sent'),
    status: integer('what was answered'),
    signed: boolean('whether it was signed anew, with the time of now'),
  }),
  examples: [
    'webhooks replay latest',
    'webhooks replay latest --to http://localhost:3000/hook --secret-file secret.txt',
  ],
});
