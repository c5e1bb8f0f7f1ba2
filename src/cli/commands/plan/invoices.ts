import { money, numberCell } from '../../../kernel/output/format.ts';
import { type Cell, table } from '../../../kernel/output/table.ts';
import { Invoice } from '../../../platform/contract/billing.ts';
import { readInvoices } from '../../../team/billing.ts';
import { defineCommand } from '../../command.ts';
import { documents, passThrough, sentFields } from '../../result-schema.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  run: readInvoices,
  // The signed URL of an invoice is what --json is used for.
  verbatim: () => true,
  view: (invoices) =>
    table(invoices, ['INVOICE', 'AMOUNT', 'STATUS'], {
      DATE: (invoice) => invoice.createdAt?.slice(0, 10),
      INVOICE: (invoice) => invoice.id,
      AMOUNT: amount,
      STATUS: (invoice) => statusCell(invoice.paymentStatus),
      FILE: (invoice) => (invoice.fileUrl ? 'yes' : 'no'),
    }),
  empty: 'no invoices yet',
  effect: 'reads',
  json: documents(passThrough(sentFields(Invoice))),
  examples: ['plan invoices', 'plan invoices --json=createdAt,amountDue,currency,fileUrl'],
});

/** Without a currency, the size of the unit is unknown. */
function amount({ amountDue, currency }: Invoice): Cell {
  if (typeof amountDue !== 'number') return undefined;
  return numberCell(currency ? money(amountDue, currency) : String(amountDue));
}
