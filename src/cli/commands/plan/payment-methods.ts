import { type Columns, table } from '../../../kernel/output/table.ts';
import { listPaymentMethods, PaymentMethods } from '../../../platform/contract/billing.ts';
import { paymentMethodCells } from '../../../team/billing.ts';
import { defineCommand } from '../../command.ts';
import { document, passThrough, sentFields } from '../../result-schema.ts';

export default defineCommand({
  run: async ({ api, project, progress }) => {
    const reply = await api(listPaymentMethods, { project });
    if (!reply.methods?.length) progress.note('no payment methods yet; add one in the dashboard');
    return reply;
  },
  view: ({ methods }) => {
    const rows = (methods ?? []).map(paymentMethodCells);
    const columns: Columns<Record<string, string>, string> = {};
    for (const name of rows.flatMap(Object.keys)) columns[name.toUpperCase()] = (row) => row[name];
    return table(rows, [], columns);
  },
  effect: 'reads',
  json: document(passThrough(sentFields(PaymentMethods))),
  examples: ['plan payment-methods', 'plan payment-methods --json'],
});
