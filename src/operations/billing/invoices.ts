import type { Context } from '../../context.ts';
import { type Invoice, listInvoices } from '../../contract/costs.ts';
import type { DecodedReply } from '../../contract/endpoint.ts';
import { latestFirst } from '../../output/format.ts';

/** The project's invoices, newest first. */
export async function readInvoices({ api, project }: Pick<Context, 'api' | 'project'>): Promise<Invoice[]> {
  return parseInvoices(await api(listInvoices, { project }));
}

/** The list of invoices, also when an object wraps it. */
export function parseInvoices(answer: DecodedReply<typeof listInvoices>): Invoice[] {
  const invoices = Array.isArray(answer) ? answer : (answer.invoices ?? answer.items ?? answer.data ?? []);
  return invoices.toSorted(latestFirst((invoice) => invoice.createdAt));
}
