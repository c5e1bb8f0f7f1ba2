import { latestFirst } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { type Invoice, listInvoices } from '../platform/contract/billing.ts';
import type { DecodedReply } from '../platform/contract/endpoint.ts';
import { jsonLeaves } from '../platform/replies/index.ts';

/** All values of a payment method, whose fields are not documented (spec 2.12). Never has a full card number. */
export function paymentMethodCells(method: unknown): Record<string, string> {
  return Object.fromEntries(jsonLeaves(method).map(([path, value]) => [path || 'method', masked(value)]));
}

/** Keeps only the last four digits of what may be a card number. */
function masked(value: unknown): string {
  return String(value).replace(/\d(?:[ -]?\d){11,18}/g, (number) => `•••• ${number.slice(-4)}`);
}

/** Reads the project's invoices, newest first. */
export async function readInvoices({ api, project }: Pick<Context, 'api' | 'project'>): Promise<Invoice[]> {
  return parseInvoices(await api(listInvoices, { project }));
}

/** Finds the list in a reply whose wrapper is not documented. */
export function parseInvoices(reply: DecodedReply<typeof listInvoices>): Invoice[] {
  const invoices = Array.isArray(reply) ? reply : (reply.invoices ?? reply.items ?? reply.data ?? []);
  return invoices.toSorted(latestFirst((invoice) => invoice.createdAt));
}
