import { listPaymentMethods, PaymentMethods } from '../../../platform/contract/billing.ts';
import { paymentMethodText } from '../../../team/billing.ts';
import { defineCommand } from '../../command.ts';
import { document, passThrough, sentFields } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ api, project, progress }) => {
    const reply = await api(listPaymentMethods, { project });
    if (!reply.methods?.length) progress.note('no payment methods yet; add one in the dashboard');
    return reply;
  },
  view: ({ methods }) => (methods ?? []).map(paymentMethodText).join('\n'),
  effect: 'reads',
  json: document(passThrough(sentFields(PaymentMethods))),
  examples: ['plan payment-methods', 'plan payment-methods --json'],
});
