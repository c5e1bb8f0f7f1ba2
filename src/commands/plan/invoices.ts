import { defineCommand } from '../../command.ts';
import type { Invoice } from '../../contract/costs.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { readInvoices } from '../../operations/billing/index.ts';
import { money } from '../../output/format.ts';
import { table } from '../../output/table.ts';

export default defineCommand({
  configure: (command) => listFlags(command),
  run: async (context, flags) => applyLimit(await readInvoices(context), flags, context.progress, 'invoice'),
  // The link to the file of an invoice is signed: it is what --json is for here.
  verbatim: () => true,
  view: (invoices) =>
    table(invoices, {
      DATE: (invoice) => invoice.createdAt?.slice(0, 10),
      INVOICE: (invoice) => invoice.id,
      AMOUNT: amount,
      STATUS: (invoice) => invoice.paymentStatus,
      FILE: (invoice) => (invoice.fileUrl ? 'yes' : 'no'),
    }),
  empty: 'no invoices yet',
  passesThrough: true,
  json: {
    id: 'invoice id',
    amountDue: 'in the smallest unit of the currency: cents, or whole yen',
    currency: 'currency',
    createdAt: 'RFC 3339, UTC',
    paymentStatus: 'as the platform says it',
    accountName: 'who is billed',
    accountCountry: 'country of who is billed',
    fileUrl: 'where the invoice can be read; whoever has this address can read it',
  },
  examples: ['plan invoices', 'plan invoices --json=createdAt,amountDue,currency,fileUrl'],
});

/** Without a currency nobody can tell how many of its units these are. */
function amount({ amountDue, currency }: Invoice): string | undefined {
  if (typeof amountDue !== 'number') return undefined;
  return currency ? money(amountDue, currency) : String(amountDue);
}
