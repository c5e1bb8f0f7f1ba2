import { table } from '../../../kernel/output/table.ts';
import { listPaymentMethods, PaymentMethods } from '../../../platform/contract/billing.ts';
import { parsePaymentMethods } from '../../../team/billing.ts';
import { defineCommand } from '../../command.ts';
import { document, passThrough, sentFields } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ api, project, progress }) => {
    const reply = await api(listPaymentMethods, { project });
    if (!reply.methods?.length) progress.note('no payment methods yet; add one in the dashboard');
    return reply;
  },
  view: ({ methods }) =>
    table(parsePaymentMethods(methods ?? []), ['METHOD', 'DEFAULT'], {
      METHOD: (method) => method.title ?? method.more,
      EXPIRES: (method) => method.expires,
      DEFAULT: (method) => (method.isDefault ? 'default' : ''),
    }),
  effect: 'reads',
  json: document(passThrough(sentFields(PaymentMethods))),
  examples: ['plan payment-methods', 'plan payment-methods --json'],
});
