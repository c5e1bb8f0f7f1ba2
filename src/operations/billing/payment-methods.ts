import { jsonLeaves } from '../replies/index.ts';

/** A way to pay, as far as its shape is understood. */
export interface PaymentMethod {
  /** `visa ending in 4242`; of an unknown shape, nothing. */
  title?: string;
  /** `4/2029` */
  expires?: string;
  isDefault: boolean;
  /** What is said about a method of unknown shape, every leaf of it, as text. */
  more?: string;
}

/**
 * Reads payment methods. Their shape is not documented (spec 2.12): a card's fields may be at the top or in a nested
 * object, in either spelling. Everything else is shown field by field. Never shows a full card number.
 */
export function parsePaymentMethods(methods: readonly unknown[]): PaymentMethod[] {
  return methods.map((method) => {
    const facts = jsonLeaves(method);
    const find = (...names: string[]) =>
      names.map((name) => facts.find(([path]) => lastOf(path) === name)?.[1]).find((value) => value !== undefined);
    const brand = find('brand', 'type');
    const last4 = find('last4', 'last_4', 'lastFour', 'last_four');
    const month = find('expMonth', 'exp_month');
    const year = find('expYear', 'exp_year');
    const isDefault = find('isDefault', 'is_default', 'default') === true;
    if (last4 === undefined) return { isDefault, more: facts.map(([path, value]) => leafText(path, value)).join(' ') };
    return {
      title: `${brand ?? 'card'} ending in ${String(last4).slice(-4)}`,
      ...(month && year ? { expires: `${month}/${year}` } : {}),
      isDefault,
    };
  });
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Of what may be the number of a card, the last four digits are told. */
function leafText(path: string, value: unknown): string {
  const said = String(value).replace(/\d(?:[ -]?\d){11,18}/g, (number) => `•••• ${number.slice(-4)}`);
  return path ? `${path}=${said}` : said;
}
