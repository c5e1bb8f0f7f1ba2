import { defineCommand } from '../../command.ts';
import { replayDelivery } from '../../operations/webhooks/index.ts';

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
  json: {
    id: 'id of the delivery',
    to: 'where it was sent',
    status: 'what was answered',
    signed: 'whether it was signed anew, with the time of now',
  },
  examples: [
    'webhooks replay latest',
    'webhooks replay latest --to http://localhost:3000/hook --secret-file secret.txt',
  ],
});
