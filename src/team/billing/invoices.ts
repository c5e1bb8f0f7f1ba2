import { latestFirst } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type Invoice, listInvoices } from '../../platform/contract/billing.ts';
import type { DecodedReply } from '../../platform/contract/endpoint.ts';

/** Reads the project's invoices, newest first. */
export async function readInvoices({ api, project }: Pick<Context, 'api' | 'project'>): Promise<Invoice[]> {
  return parseInvoices(await api(listInvoices, { project }));
}

/** Finds the list in a reply whose wrapper is not documented. */
export function parseInvoices(reply: DecodedReply<typeof listInvoices>): Invoice[] {
  const invoices = Array.isArray(reply) ? reply : (reply.invoices ?? reply.items ?? reply.data ?? []);
  return invoices.toSorted(latestFirst((invoice) => invoice.createdAt));
}
