import { latestFirst } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { type Invoice, listInvoices } from '../platform/contract/billing.ts';
import type { DecodedReply } from '../platform/contract/endpoint.ts';
import { jsonLeaves } from '../platform/replies/index.ts';

interface PaymentMethod {
  /** `visa ending in 4242`; absent if the shape is unknown. */
  title?: string;
  /** `4/2029` */
  expires?: string;
  isDefault: boolean;
  /** All values of a method of unknown shape, as text. */
  more?: string;
}

/**
 * Parses payment methods. Their shape is not documented (spec 2.12): fields of a card may be nested and in either
 * spelling; any other method becomes a list of its values. Never returns a full card number.
 */
export function parsePaymentMethods(methods: readonly unknown[]): PaymentMethod[] {
  return methods.map((method) => {
    const leaves = jsonLeaves(method);
    const find = (...names: string[]) =>
      names.map((name) => leaves.find(([path]) => lastName(path) === name)?.[1]).find((value) => value !== undefined);
    const brand = find('brand', 'type');
    const last4 = find('last4', 'last_4', 'lastFour', 'last_four');
    const month = find('expMonth', 'exp_month');
    const year = find('expYear', 'exp_year');
    const isDefault = find('isDefault', 'is_default', 'default') === true;
    if (last4 === undefined) return { isDefault, more: leaves.map(([path, value]) => leafText(path, value)).join(' ') };
    return {
      title: `${brand ?? 'card'} ending in ${String(last4).slice(-4)}`,
      ...(month && year ? { expires: `${month}/${year}` } : {}),
      isDefault,
    };
  });
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Keeps only the last four digits of what may be a card number. */
function leafText(path: string, value: unknown): string {
  const masked = String(value).replace(/\d(?:[ -]?\d){11,18}/g, (number) => `•••• ${number.slice(-4)}`);
  return path ? `${path}=${masked}` : masked;
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
