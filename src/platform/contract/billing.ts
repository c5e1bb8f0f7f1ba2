import * as v from 'valibot';
import { assumed, endpoint } from './endpoint.ts';
import { listOf, objectOf, optionalList, replyObject } from './lists.ts';
import { amountOf, described, maybe, textOrEmpty } from './scalars.ts';

/** The cost of an app by day. Observed in use, not documented (docs/platform.md#costs-and-invoices). */
export const AppCost = replyObject({ costs: assumed(maybe.record) });
export type AppCost = v.InferOutput<typeof AppCost>;

/** What a day of {@link AppCost} cost, in US cents; undefined if that is not known. */
export const dayCostOf = (day: unknown): number | undefined => amountOf(Object(day).total_cost_cents);

/** Get the cost of an app by day (docs/platform.md#costs-and-invoices). */
export const getAppCost = endpoint('GET /v2/projects/{project}/apps/{app}/cost', { reply: AppCost });

/**
 * The cost of a project this month, and its coupons. Only some of the fields are known
 * (docs/platform.md#costs-and-invoices).
 */
export const ProjectCost = replyObject({
  summary: assumed(maybe.record),
  coupons: assumed(maybe.items),
});

/** Get the cost of a project (docs/platform.md#costs-and-invoices). */
export const getProjectCost = endpoint('GET /v2/projects/{project}/cost', { reply: ProjectCost });

/** An invoice. Its amount is in the smallest unit of the currency: cents, or whole yen. */
export const Invoice = objectOf({
  id: described(textOrEmpty, 'invoice id'),
  amountDue: described(maybe.number, 'in the smallest unit of the currency, such as cents'),
  currency: described(maybe.text, 'currency'),
  createdAt: described(maybe.time, 'RFC 3339, UTC'),
  paymentStatus: described(maybe.text, 'platform value, passed through'),
  fileUrl: described(maybe.text, 'URL of the invoice; anyone with this URL can read it'),
});
export type Invoice = v.InferOutput<typeof Invoice>;

const someInvoices = optionalList(Invoice, 'id');

/** List invoices (docs/platform.md#costs-and-invoices): the reply is an array, or an object that holds one. */
export const listInvoices = endpoint('GET /v2/projects/{project}/invoices', {
  reply: assumed(
    v.union([listOf(Invoice, 'id'), replyObject({ invoices: someInvoices, items: someInvoices, data: someInvoices })]),
  ),
});

/** Billing plans, smallest first (spec 4.16). */
export const planCodes = ['hobby', 'standard', 'enterprise'] as const;

/** Changes the plan. `redirectUrl` completes the payment; empty if none is required (spec 4.16). */
export const changePlan = endpoint('PATCH /v2/projects/{project}/subscription', {
  body: v.object({ planCode: v.picklist(planCodes) }),
  reply: objectOf({ redirectUrl: maybe.text }),
});

/** Answer of list payment methods (spec 2.12). The fields of a method are not documented. */
export const PaymentMethods = replyObject({
  creditCardBonusClaimed: described(maybe.boolean, 'whether the bonus for adding a card was claimed'),
  methods: described(assumed(maybe.items), 'payment methods; platform values, passed through'),
});

/** Lists payment methods (spec 4.17). */
export const listPaymentMethods = endpoint('GET /v2/projects/{project}/payment-methods', { reply: PaymentMethods });
